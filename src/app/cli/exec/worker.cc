#include "app/cli/exec/worker.h"

#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "app/cli/json_view.h"
#include "base/json_write.h"

namespace parlance::cli::exec {

namespace {

constexpr std::chrono::milliseconds kGrace{200};

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
    is_drained_ = true;
    unasked_lines_ = unasked_bytes_ = reported_lines_ = 0;
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
    // Checked before reading the pipe: the last output of an ended program is then in the pipe.
    const bool has_ended = child_->ending().has_value();
    const auto output = child_->read(lines_);
    const bool is_read = output == Child::Output::Drained;
    is_drained_ = is_read;
    while (const auto line = lines_.next()) hear(*line, outcomes);
    if (lines_.is_too_long()) {
        child_->signal(SIGKILL);
        if (work_) outcomes.push_back({std::move(*std::exchange(work_, {})), endless()});
    }
    review_unasked();
    const bool is_over = output == Child::Output::Closed || (has_ended && is_read);
    if (!is_over && !is_flooding()) return outcomes;
    if (auto last = end(now)) outcomes.push_back(std::move(*last));
    return outcomes;
}

void Worker::hear(const std::string& line, std::vector<Outcome>& outcomes) {
    if (!work_) {
        ++unasked_lines_;
        unasked_bytes_ += line.size() + 1;
        is_drained_ = false;  // More may follow at once, and would be taken for the next answer.
        return;
    }
    backoff_.reset();
    unasked_lines_ = unasked_bytes_ = reported_lines_ = 0;
    Verdict verdict = verdict_of(dialect_, work_->message, line);
    outcomes.push_back({std::move(*std::exchange(work_, {})), std::move(verdict)});
}

void Worker::review_unasked() {
    const bool is_first = reported_lines_ == 0 && unasked_lines_ > 0;
    const bool is_due = unasked_lines_ - reported_lines_ >= kReportEvery;
    if (!is_first && !is_due && !is_flooding()) return;
    reported_lines_ = unasked_lines_;
    report_ = fmt::format("the program wrote {} line{} that no message asked for{}",
                          unasked_lines_,
                          unasked_lines_ == 1 ? "" : "s",
                          is_flooding() ? "; it is ended and started again after a pause" : "");
}

std::optional<Outcome> Worker::end(Clock::time_point now) {
    // A program that closes its stdout but goes on can never answer again.
    child_->end(is_flooding() ? SIGKILL : SIGTERM, kGrace);
    const std::string how = child_->await_ending();
    child_.reset();
    if (!is_flooding()) flood_backoff_.reset();
    rests_until_ = now + (is_flooding() ? flood_backoff_.next() : backoff_.next());
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
