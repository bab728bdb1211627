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
