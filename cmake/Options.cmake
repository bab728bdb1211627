# How everything of ours is compiled: warnings are errors, and the sanitizers of the presets.
add_library(parlance_options INTERFACE)
target_compile_options(parlance_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Werror)

set(PARLANCE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")
if(PARLANCE_SANITIZE)
  add_compile_options(-fsanitize=${PARLANCE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PARLANCE_SANITIZE})
endif()
