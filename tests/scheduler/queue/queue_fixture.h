// A queue with a clock of its own, whose plugins are helped by what a test says.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leadline/queue/scheduling_queue.h"

namespace leadline {

inline std::shared_ptr<Pod> NewPod(const std::string& name, int priority = 0) {
  auto pod = std::make_shared<Pod>();
  pod->metadata.name = name;
  pod->metadata.uid = name;
  pod->spec.priority = priority;
  return pod;
}

inline std::shared_ptr<Pod> GatedPod(const std::string& name) {
  auto pod = NewPod(name);
  pod->spec.scheduling_gates = {"gate"};
  return pod;
}

// Of a Pod that helps the Pod `helped`; all Pods if that is empty.
inline ClusterChange Change(ClusterEvent event, const std::string& helped = "") {
  ClusterChange change{event};
  if (helped.empty()) return change;
  auto pod = NewPod("another");
  pod->metadata.labels["helps"] = helped;
  change.old_pod = change.pod = pod;
  return change;
}

// PrioritySort; "Gates" holds Pods with a scheduling gate. "Fit" is helped by Pods that go, as the
// change says, and by a new annotation "fits" of the waiting Pod; "Taint" by taints that change.
inline SchedulingQueueHooks TestHooks() {
  SchedulingQueueHooks hooks;
  hooks.less = [](const QueuedPodInfo& a, const QueuedPodInfo& b) {
    const int pa = a.pod->pod->Priority(), pb = b.pod->pod->Priority();
    return pa != pb ? pa > pb : a.queued_at < b.queued_at;
  };
  hooks.gated_by = [](const Pod& pod) {
    return std::string(pod.spec.scheduling_gates.empty() ? "" : "Gates");
  };
  hooks.hints_of = [](const std::string&, const std::string& plugin) {
    const auto event = [](ClusterEvent e) { return static_cast<std::size_t>(e); };
    PluginHints hints;
    hints.events.set(event(ClusterEvent::kUnscheduledPodUpdate), plugin != "Taint");
    hints.events.set(event(ClusterEvent::kAssignedPodDelete), plugin == "Fit");
    hints.events.set(event(ClusterEvent::kNodeTaintUpdate), plugin == "Taint");
    hints.helps = [plugin](const Pod& waiting, const ClusterChange& change) {
      if (change.event == ClusterEvent::kUnscheduledPodUpdate) {
        EXPECT_EQ(change.pod->metadata.uid, waiting.metadata.uid);
        if (plugin == "Gates") return change.pod->spec.scheduling_gates.empty();
        return change.pod->metadata.annotations.contains("fits") &&
               !change.old_pod->metadata.annotations.contains("fits");
      }
      return change.pod == nullptr ||
             change.pod->metadata.labels.at("helps") == waiting.metadata.name;
    };
    return hints;
  };
  return hooks;
}

class QueueFixture : public testing::Test {
 protected:
  QueueFixture() : queue_({}, Hooks(), clock_) {}

  SchedulingQueueHooks Hooks() {
    SchedulingQueueHooks hooks = TestHooks();
    hooks.on_enter = [this](QueueName queue, std::string_view event) {
      entered_.push_back(std::string(QueueNameLabel(queue)) + ":" + std::string(event));
    };
    return hooks;
  }

  SchedulingQueue::Entry Pop() { return queue_.Pop(std::chrono::milliseconds(0)); }
  std::string PopName() {
    const auto entry = Pop();
    return entry ? entry->pod->uid() : "";
  }
  // A new Pod that these plugins turn down at once.
  void AddTurnedDown(std::shared_ptr<const Pod> pod, std::set<std::string> plugins = {"Fit"}) {
    queue_.Set(std::move(pod));
    queue_.AddUnschedulable(Pop(), std::move(plugins));
  }
  // "active/backoff/unschedulable/gated/in flight"
  std::string Sizes() const {
    const auto sizes = queue_.sizes();
    std::string text;
    for (std::size_t n :
         {sizes.active, sizes.backoff, sizes.unschedulable, sizes.gated, sizes.in_flight}) {
      text += (text.empty() ? "" : "/") + std::to_string(n);
    }
    return text;
  }

  ManualClock clock_;
  std::vector<std::string> entered_;
  SchedulingQueue queue_;
};

}  // namespace leadline
