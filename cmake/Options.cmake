# Compile options of all project targets: warnings as errors, and the sanitizers that a preset selects.
add_library(parlance_options INTERFACE)
target_compile_options(parlance_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror
  -Wno-missing-field-initializers)  # Designated initialisers omit members that have a default.

set(PARLANCE_SANITIZE "" CACHE STRING "Argument of -fsanitize=")
set(PARLANCE_SANITIZE_EXCEPT "" CACHE STRING "Argument of -fno-sanitize=")
if(PARLANCE_SANITIZE)
  add_compile_options(-fsanitize=${PARLANCE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PARLANCE_SANITIZE})
  if(PARLANCE_SANITIZE_EXCEPT)
    add_compile_options(-fno-sanitize=${PARLANCE_SANITIZE_EXCEPT})
  endif()
endif()

# Test programs are linked often, and lld links six times as fast as ld.
find_program(PARLANCE_LLD ld.lld)
if(PARLANCE_LLD AND CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_link_options(-fuse-ld=lld)
endif()

if(PARLANCE_MUTANTS)
  target_compile_definitions(parlance_options INTERFACE PARLANCE_MUTANTS)
endif()

# parlance_precompile(target [<more/headers.h> …]) compiles the headers that nearly every file includes once per
# target. Precompiled headers save a quarter of the time of a full build, so ./test and ./run use them. The other
# presets do without, because a precompiled header hides a missing #include.
option(PARLANCE_PRECOMPILE "Precompile the headers that the files of a target share" OFF)
if(PARLANCE_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # A timestamp in the header would defeat ccache.
endif()
if(PARLANCE_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC suppresses these warnings inside the standard library's headers, except when the headers are precompiled.
  # Builds without precompiled headers (presets dev, sim, release) keep the warnings.
  add_compile_options(-Wno-array-bounds -Wno-maybe-uninitialized -Wno-stringop-overflow
                      -Wno-stringop-overread -Wno-restrict)
endif()
function(parlance_precompile target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(PARLANCE_PRECOMPILE AND count GREATER 4)  # In smaller targets precompiling costs more time than it saves.
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
      <string_view> <unordered_map> <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()
