// A preload library that shifts a program's wall clock by SKEW_SECONDS. The steady clock stays
// correct.
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
