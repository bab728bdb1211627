// A wall clock that is wrong by SKEW_SECONDS, for a program that is started with this library
// preloaded. The steady clock is left as it is.
#include <cstdlib>

#include <dlfcn.h>
#include <time.h>

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
    using Function = int (*)(clockid_t, timespec*);
    static const auto true_clock = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "clock_gettime"));
    static const char* const skew = std::getenv("SKEW_SECONDS");
    const int result = true_clock(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME && skew != nullptr) time->tv_sec += std::atol(skew);
    return result;
}
