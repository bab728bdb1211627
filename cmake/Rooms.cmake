# The rooms in build order, each with the rooms that its files may include. tools/check_rooms.py checks every
# #include against this map.
set(ROOM_base      "")
set(ROOM_model     base)
set(ROOM_narrative base model)  # User-facing text from JSON; knows no agent, workflow or session.
set(ROOM_core      base model narrative)
set(ROOM_journal   base model)
set(ROOM_views     base model journal)
set(ROOM_engine    base model narrative core journal)
set(ROOM_dialects  base model)
set(ROOM_transport base)
set(ROOM_identity  base model)
set(ROOM_intents   base)  # Classifies sentences; knows no caller and no registered agent.
set(ROOM_gateway   base model engine views dialects transport identity intents narrative)
set(ROOM_sim       base model narrative core journal engine views transport gateway)  # The simulator sends messages through the real gateway desk.
set(ROOM_sdk       base)
set(ROOM_app       base model narrative core journal engine views dialects transport identity intents gateway sim sdk)

add_custom_target(unit_tests)  # All tests in src/, sim/ and sdk/.

# parlance_room(core SOURCES decide.cc apply.cc TESTS decide_test.cc [LIBS ext::lib])
# builds the room as a static library, and the room's tests as one program that links only this room and
# the rooms it may include.
function(parlance_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;LIBS" ${ARGN})
  set(uses ${ROOM_${name}})
  foreach(used IN LISTS uses)
    if(NOT TARGET parlance_${used})
      message(FATAL_ERROR "room '${name}' looks down into '${used}'; see ARCHITECTURE.md")
    endif()
  endforeach()
  list(TRANSFORM uses PREPEND parlance::)

  if(ARG_SOURCES)
    add_library(parlance_${name} STATIC ${ARG_SOURCES})
    parlance_precompile(parlance_${name})
    set(scope PUBLIC)
  else()
    add_library(parlance_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(parlance::${name} ALIAS parlance_${name})
  target_include_directories(parlance_${name} ${scope} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_link_libraries(parlance_${name} ${scope} ${uses} ${ARG_LIBS} parlance_options)

  if(ARG_TESTS AND PARLANCE_UNIT_TESTS)
    add_executable(${name}_test ${ARG_TESTS})
    parlance_precompile(${name}_test <gtest/gtest.h>)
    target_link_libraries(${name}_test PRIVATE parlance::${name} GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name}_test)
    set_tests_properties(${name} PROPERTIES LABELS unit)
    add_dependencies(unit_tests ${name}_test)
  endif()
endfunction()
