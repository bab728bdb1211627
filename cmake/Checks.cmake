# CTest tests of the source tree: room map, documents, conformance. With PARLANCE_FULL_CHECK, which ./test
# sets, also the checks that need another compiler or another preset. Each of these builds reserves all
# processors, so no other test runs beside a build.
option(PARLANCE_FULL_CHECK "Add the checks that take minutes: format, tidy, sanitizers, fuzz" OFF)
set(PARLANCE_FUZZ_SECONDS 30 CACHE STRING "Seconds of fuzzing per dialect decoder")

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
# A full clang-tidy run takes about 13 minutes, so this test checks the files that changed since the commit in
# tools/tidy_since, and other files for 20 seconds. `tools/tidy.py` checks all files; after a run without findings,
# write that commit to tools/tidy_since.
parlance_check(tidy ALL_CORES
  COMMAND ${Python3_EXECUTABLE} ${tools}/tidy.py --build ${CMAKE_BINARY_DIR} --jobs ${cores}
          --since tools/tidy_since --seconds 20)

# One build with the address and undefined-behaviour sanitizers, for the unit tests, scenarios, simulator and fuzzers.
# Debug information takes a seventh of the compile time and is left out; for line numbers in sanitizer reports, build
# the preset `asan` unchanged. The null and alignment checks take two fifths of the compile time and are left out: the
# address sanitizer also detects use of a null pointer, and the unchanged preset includes both checks.
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

# A short fuzz of every decoder. The preset `fuzz` builds optimised fuzzers, which process more inputs per second and
# take longer to compile.
set(fuzz ${PROJECT_SOURCE_DIR}/build/asan/fuzz)
# Dialect decoders are fuzzed for PARLANCE_FUZZ_SECONDS, all other fuzz targets for a sixth of that time.
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
