# How everything of ours is compiled: warnings are errors, and the sanitizers of the presets.
add_library(parlance_options INTERFACE)
target_compile_options(parlance_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror
  -Wno-missing-field-initializers)  # Designated initialisers leave out what has a default.

set(PARLANCE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
set(PARLANCE_SANITIZE_EXCEPT "" CACHE STRING "Of these, which checks are left out")
if(PARLANCE_SANITIZE)
  add_compile_options(-fsanitize=${PARLANCE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PARLANCE_SANITIZE})
  if(PARLANCE_SANITIZE_EXCEPT)
    add_compile_options(-fno-sanitize=${PARLANCE_SANITIZE_EXCEPT})
  endif()
endif()

# What is built to be tested is linked often, and by this one six times as fast.
find_program(PARLANCE_LLD ld.lld)
if(PARLANCE_LLD AND CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_link_options(-fuse-ld=lld)
endif()

if(PARLANCE_MUTANTS)
  target_compile_definitions(parlance_options INTERFACE PARLANCE_MUTANTS)
endif()

# parlance_precompile(target [<more/headers.h> …]) compiles what nearly every file includes once for the
# whole target. A quarter of the time of a build from nothing, so ./test has it; for daily work it
# would only hide that a file forgot an include.
option(PARLANCE_PRECOMPILE "Compile the headers that all files of a target share only once" OFF)
if(PARLANCE_PRECOMPILE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # Else ccache takes each for another one.
endif()
if(PARLANCE_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC keeps quiet about what it guesses inside of the standard library's headers, but not once they are
  # precompiled. The build without precompiled headers (presets dev, sim, release) keeps these warnings.
  add_compile_options(-Wno-array-bounds -Wno-maybe-uninitialized -Wno-stringop-overflow
                      -Wno-stringop-overread -Wno-restrict)
endif()
function(parlance_precompile target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(PARLANCE_PRECOMPILE AND count GREATER 4)  # Fewer do not make up for it.
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <chrono> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string>
      <string_view> <unordered_map> <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()
