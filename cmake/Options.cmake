# How everything of ours is compiled: warnings are errors, and the sanitizers of the presets.
add_library(parlance_options INTERFACE)
target_compile_options(parlance_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror
  -Wno-missing-field-initializers)  # Designated initialisers leave out what has a default.

set(PARLANCE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
if(PARLANCE_SANITIZE)
  add_compile_options(-fsanitize=${PARLANCE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PARLANCE_SANITIZE})
endif()

if(PARLANCE_MUTANTS)
  target_compile_definitions(parlance_options INTERFACE PARLANCE_MUTANTS)
endif()
