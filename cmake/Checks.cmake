# Whatever the project checks is a ctest. Those here look at the tree rather than run a room; with
# PARLANCE_FULL_CHECK, which ./test sets, they also build and run what needs another compiler or
# another preset. Each build takes all processors, so the tests around it wait.
option(PARLANCE_FULL_CHECK "Add the checks that take minutes: format, tidy, sanitizers, fuzz" OFF)
set(PARLANCE_FUZZ_SECONDS 30 CACHE STRING "How long each decoder is fuzzed")

find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(tools ${PROJECT_SOURCE_DIR}/tools)
add_test(NAME rooms COMMAND ${Python3_EXECUTABLE} ${tools}/check_rooms.py ${PROJECT_SOURCE_DIR})
add_test(NAME rooms_check COMMAND ${Python3_EXECUTABLE} ${tools}/check_rooms_test.py)
add_test(NAME docs COMMAND ${Python3_EXECUTABLE} ${tools}/check_docs.py)
add_test(NAME conformance COMMAND ${Python3_EXECUTABLE} ${tools}/conformance.py)
add_test(NAME conformance_check COMMAND ${Python3_EXECUTABLE} ${tools}/conformance_test.py)
set_tests_properties(rooms rooms_check docs conformance conformance_check PROPERTIES LABELS tree)
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
if(NOT PARLANCE_FULL_CHECK)
  return()
endif()

# parlance_check(asan_build COMMAND … [SETS fixture] [NEEDS fixture] [ALL_CORES])
function(parlance_check name)
  cmake_parse_arguments(ARG "ALL_CORES" "SETS;NEEDS" "COMMAND" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 7200 LABELS check)
  if(ARG_ALL_CORES)
    set_tests_properties(${name} PROPERTIES PROCESSORS ${cores})
  endif()
  if(ARG_SETS)
    set_tests_properties(${name} PROPERTIES FIXTURES_SETUP ${ARG_SETS})
  endif()
  if(ARG_NEEDS)
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED ${ARG_NEEDS})
  endif()
endfunction()

parlance_check(format COMMAND ${tools}/format)
# All of it would take a third of the 40 minutes that ./test may: what changed since it was all clean
# is looked at here, and of the rest what a moment allows. tools/tidy.py looks at everything; who
# finds it clean moves the mark in tools/tidy_since.
parlance_check(tidy ALL_CORES
  COMMAND ${Python3_EXECUTABLE} ${tools}/tidy.py --build ${CMAKE_BINARY_DIR} --jobs ${cores}
          --since tools/tidy_since --seconds 20)

# The same tests under the address and undefined-behaviour sanitizers, and the fuzzers, from one build.
# Without debug information, which is a seventh of the time that the compiling takes: who wants lines
# in a report builds the preset as it is. Checks of pointers for null and for alignment are two fifths
# of it: a null one that is used is found by the address sanitizer as well, and the preset as it is
# checks both.
file(STRINGS ${PROJECT_SOURCE_DIR}/fuzz/CMakeLists.txt rows REGEX "^parlance_fuzz\\(")
list(TRANSFORM rows REPLACE "^parlance_fuzz\\(([a-z0-9_]+).*" "\\1" OUTPUT_VARIABLE decoders)
list(TRANSFORM decoders PREPEND fuzz_ OUTPUT_VARIABLE fuzzers)
parlance_check(asan_build ALL_CORES SETS asan
  COMMAND ${tools}/build_preset asan -DCMAKE_CXX_FLAGS_DEBUG=-g0 -DPARLANCE_SANITIZE_EXCEPT=null,alignment
          -DPARLANCE_PRECOMPILE=ON
          --target unit_tests scenarios parlance_sim_main ${fuzzers})
parlance_check(asan_tests ALL_CORES NEEDS asan
  COMMAND ${CMAKE_CTEST_COMMAND} --preset asan -j ${cores} --no-label-summary
          -LE "end_to_end|tree" -E "^(sim|fuzz)_")
parlance_check(asan_sim ALL_CORES NEEDS asan
  COMMAND ${PROJECT_SOURCE_DIR}/build/asan/sim/parlance-sim --plain --seeds 1..80 --jobs ${cores})

# Every decoder, on hostile bytes, for a while. Optimised they would go through more inputs in that
# time, and take longer to compile; the preset fuzz is for that.
set(fuzz ${PROJECT_SOURCE_DIR}/build/asan/fuzz)
# A dialect's decoder for as long as is said; the others, of which there are many, for a sixth of it.
math(EXPR shorter "(${PARLANCE_FUZZ_SECONDS} + 5) / 6")
foreach(decoder IN LISTS decoders)
  set(seconds ${shorter})
  if(decoder MATCHES "^decoder_")
    set(seconds ${PARLANCE_FUZZ_SECONDS})
  endif()
  parlance_check(fuzz_${decoder} NEEDS asan
    COMMAND ${fuzz}/fuzz_${decoder} -dict=${fuzz}/${decoder}.dict -max_len=8192 -timeout=10
            -max_total_time=${seconds} ${fuzz}/corpus/${decoder})
endforeach()
