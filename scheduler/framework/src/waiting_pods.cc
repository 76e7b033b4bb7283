#include "leadline/framework/waiting_pods.h"

#include <fmt/format.h>

#include "leadline/base/go_duration.h"

namespace leadline {
namespace {

Status Closed() { return Status(Status::Code::kPending, "the scheduler is stopping"); }

}  // namespace

WaitingPods::~WaitingPods() { Close(); }

void WaitingPods::Add(std::shared_ptr<const PodInfo> pod, const PermitWaits& waits,
                      StatusCallback done) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
      const std::string& uid = pod->uid();
      const SteadyTime now = Clock::Real().SteadyNow();
      Waiting waiting{pod, {}, std::move(done)};
      for (const auto& [plugin, wait] : waits) {
        waiting.plugins[plugin] = {wait, now + wait};
        deadlines_.emplace(now + wait, uid, plugin);
      }
      waiting_.insert_or_assign(uid, std::move(waiting));
      wake_.notify_one();
      return;
    }
  }
  done(Closed());
}

bool WaitingPods::Allow(std::string_view uid, std::string_view plugin) {
  const std::lock_guard lock(mutex_);
  const auto item = waiting_.find(std::string(uid));
  if (item == waiting_.end()) return false;
  auto& plugins = item->second.plugins;
  const auto found = plugins.find(plugin);
  if (found != plugins.end()) {
    deadlines_.erase({found->second.deadline, item->first, found->first});
    plugins.erase(found);
  }
  if (plugins.empty()) End(item, Status());
  return true;
}

bool WaitingPods::Reject(std::string_view uid, std::string_view plugin, std::string message) {
  const std::lock_guard lock(mutex_);
  const auto item = waiting_.find(std::string(uid));
  if (item == waiting_.end()) return false;
  Status status(Status::Code::kUnschedulable, std::move(message));
  status.set_plugin(plugin);
  End(item, std::move(status));
  return true;
}

std::vector<std::string> WaitingPods::PendingPlugins(std::string_view uid) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  const auto item = waiting_.find(std::string(uid));
  if (item == waiting_.end()) return names;
  for (const auto& [plugin, wait] : item->second.plugins) names.push_back(plugin);
  return names;
}

std::vector<std::shared_ptr<const PodInfo>> WaitingPods::Pods() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const PodInfo>> pods;
  for (const auto& [uid, waiting] : waiting_) pods.push_back(waiting.pod);
  return pods;
}

void WaitingPods::Close() {
  std::thread thread;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    while (!waiting_.empty()) End(waiting_.begin(), Closed());
    thread.swap(thread_);
    wake_.notify_one();
  }
  if (thread.joinable()) thread.join();
}

// Under the lock. The caller may hold locks that `done` wants: it is told by the thread.
void WaitingPods::End(Items::iterator item, Status status) {
  for (const auto& [plugin, wait] : item->second.plugins) {
    deadlines_.erase({wait.deadline, item->first, plugin});
  }
  ended_.emplace_back(std::move(item->second.done), std::move(status));
  waiting_.erase(item);
  wake_.notify_one();
}

void WaitingPods::Expire(SteadyTime now) {
  while (!deadlines_.empty() && std::get<0>(*deadlines_.begin()) <= now) {
    const auto& [when, uid, plugin] = *deadlines_.begin();
    const auto item = waiting_.find(uid);
    Status status(Status::Code::kUnschedulable,
                  fmt::format("rejected due to timeout after waiting {} at plugin {}",
                              FormatGoDuration(item->second.plugins.at(plugin).wait), plugin));
    status.set_plugin(plugin);
    End(item, std::move(status));
  }
}

void WaitingPods::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    Expire(Clock::Real().SteadyNow());
    while (!ended_.empty()) {
      auto [done, status] = std::move(ended_.front());
      ended_.pop_front();
      lock.unlock();
      done(std::move(status));
      done = nullptr;  // what it holds goes without the lock
      lock.lock();
    }
    if (closed_) return;
    if (deadlines_.empty()) {
      wake_.wait(lock);
    } else if (const SteadyTime next = std::get<0>(*deadlines_.begin());
               next > Clock::Real().SteadyNow()) {
      wake_.wait_until(lock, next);
    }
  }
}

}  // namespace leadline
