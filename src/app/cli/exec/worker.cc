#include "app/cli/exec/worker.h"

#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "app/cli/json_view.h"
#include "base/json_write.h"

namespace parlance::cli::exec {

namespace {

Verdict endless() {
    return {.kind = Verdict::Kind::Nack,
            .text = fmt::format("the answer has more than {} bytes in one line", Lines::kBytesMax),
            .is_final = true};
}

}  // namespace

Result<void> Worker::start(Clock::time_point now) {
    if (child_ || now < rests_until_) return {};
    child_ = TRY(Child::spawn(command_));
    lines_ = {};
    return {};
}

void Worker::give(Work work) {
    work_ = std::move(work);
    child_->write_line(one_line(work_->message));
}

std::vector<Outcome> Worker::listen(Clock::time_point now) {
    std::vector<Outcome> outcomes;
    if (!child_) return outcomes;
    child_->flush();
    const bool is_open = child_->read(lines_);
    while (const auto line = lines_.next()) {
        if (!work_) continue;  // Words that nobody asked for.
        backoff_.reset();
        Verdict verdict = verdict_of(dialect_, work_->message, *line);
        outcomes.push_back({std::move(*std::exchange(work_, {})), std::move(verdict)});
    }
    if (lines_.is_too_long()) {
        child_->signal(SIGKILL);
        if (work_) outcomes.push_back({std::move(*std::exchange(work_, {})), endless()});
    }
    if (is_open && !child_->ending()) return outcomes;
    if (auto last = end(now)) outcomes.push_back(std::move(*last));
    return outcomes;
}

std::optional<Outcome> Worker::end(Clock::time_point now) {
    // A program that closes its stdout but goes on can never answer again.
    if (!child_->ending()) child_->signal(SIGTERM);
    const std::string how = child_->await_ending();
    child_.reset();
    rests_until_ = now + backoff_.next();
    if (!work_) return {};
    return Outcome{std::move(*std::exchange(work_, {})),
                   {Verdict::Kind::Nack, "the program " + how + " before it answered"}};
}

void Worker::disown() {
    if (work_) work_->delivery_id.clear();
}

void Worker::tell_cancelled(std::string_view reason) {
    if (!child_) return;
    const std::string why = json::ObjectWriter{}.text("reason", reason).done();
    child_->write_line(json::ObjectWriter{}.raw("cancelled", why).done());
}

}  // namespace parlance::cli::exec
