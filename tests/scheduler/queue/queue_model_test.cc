// Random calls: the queue does what its model does, call by call.
#include "queue_model.h"

#include <cstdlib>

#include "leadline/base/rng.h"

namespace leadline {
namespace {

class RandomCalls : public QueueFixture {
 protected:
  void TestBody() override {}

 public:
  explicit RandomCalls(std::uint64_t seed) : rng_(seed), model_(clock_) {}

  void Run(int steps) {
    for (step_ = 0; step_ < steps && !HasFailure(); ++step_) {
      Step();
      EXPECT_EQ(Sizes(), model_.Sizes()) << "step " << step_;
    }
  }

 private:
  std::string AnyPod() { return "p" + std::to_string(rng_.Below(12)); }

  std::shared_ptr<const Pod> AnyState(const std::string& uid) {
    auto pod = rng_.Below(4) == 0 ? GatedPod(uid) : NewPod(uid);
    pod->spec.priority = static_cast<int>(rng_.Below(3));
    if (rng_.Below(3) == 0) pod->metadata.annotations["fits"] = "";
    return pod;
  }

  void Step() {
    switch (rng_.Below(10)) {
      case 0:
      case 1: {
        const auto pod = AnyState(AnyPod());
        queue_.Set(pod);
        return model_.Set(pod);
      }
      case 2:
        if (rng_.Below(3) == 0) Remove(AnyPod());
        return;
      case 3:
      case 4:
        return PopBoth();
      case 5:
      case 6:
        return EndFlight();
      case 7:
        return Event();
      case 8: {
        const std::string uid = AnyPod();
        if (rng_.Below(3) != 0) return;
        queue_.Activate(uid);
        return model_.Activate(uid);
      }
      default:
        clock_.Advance(rng_.Below(40) == 0 ? std::chrono::minutes(6)
                                           : std::chrono::milliseconds(rng_.Below(3000)));
        queue_.Flush();
        return model_.Flush();
    }
  }

  void Remove(const std::string& uid) {
    queue_.Remove(uid);
    model_.Remove(uid);
    flying_.erase(uid);
  }

  void PopBoth() {
    const auto entry = Pop();
    const std::string uid = entry ? entry->pod->uid() : "";
    EXPECT_EQ(uid, model_.Pop()) << "step " << step_;
    if (!entry) return;
    EXPECT_TRUE(flying_.emplace(uid, entry).second) << uid << " is in flight twice";
    EXPECT_FALSE(entry->gated);
  }

  void EndFlight() {
    if (flying_.empty()) return;
    auto any = flying_.begin();
    std::advance(any, static_cast<std::ptrdiff_t>(rng_.Below(flying_.size())));
    const auto [uid, entry] = *any;
    flying_.erase(any);
    static const std::set<std::string> kWho[] = {{}, {"Fit"}, {"Taint"}, {"Fit", "Taint"}};
    const auto outcome = rng_.Below(6);
    if (outcome == 5) {
      queue_.Done(uid);
      return model_.Done(uid);
    }
    if (outcome == 4) {
      queue_.AddDeferred(entry);
    } else {
      queue_.AddUnschedulable(entry, kWho[outcome]);
    }
    model_.Fail(uid, outcome == 4 ? kWho[0] : kWho[outcome], outcome == 4);
  }

  void Event() {
    static constexpr ClusterEvent kEvents[] = {
        ClusterEvent::kAssignedPodDelete, ClusterEvent::kNodeTaintUpdate, ClusterEvent::kNodeAdd};
    const auto change = Change(kEvents[rng_.Below(3)], rng_.Below(3) == 0 ? "" : AnyPod());
    Audience audience;
    if (rng_.Below(5) == 0) audience.highest_priority = static_cast<int>(rng_.Below(3));
    if (rng_.Below(5) == 0) audience.except = AnyPod();
    queue_.OnEvent(change, audience);
    model_.OnEvent(change, audience);
  }

  Rng rng_;
  QueueModel model_;
  std::map<std::string, SchedulingQueue::Entry> flying_;
  int step_ = 0;
};

// LEADLINE_SLOW=1 tries far more.
TEST(QueueModelTest, TheQueueDoesWhatItsModelDoes) {
  const char* slow = std::getenv("LEADLINE_SLOW");
  const std::uint64_t seeds = slow != nullptr && std::string(slow) == "1" ? 3000 : 60;
  for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCalls(seed).Run(1000);
  }
}

}  // namespace
}  // namespace leadline
