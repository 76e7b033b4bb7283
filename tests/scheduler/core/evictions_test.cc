#include "leadline/core/evictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

namespace leadline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Keeps what it is told to evict; the test says what comes of it.
class KeepingWriter : public NoWriter {
 public:
  void Evict(std::shared_ptr<const Pod> pod, const std::string& message,
             std::function<void(Result<void>)> done) override {
    asked.push_back(pod->metadata.name + ": " + message);
    answers[pod->metadata.name] = std::move(done);
  }
  void RecordEvent(const Pod& pod, const PodEvent& event) override {
    events.push_back(event.reason + " " + pod.metadata.name + " for " +
                     event.related->metadata.name + ": " + event.note);
  }
  std::vector<std::string> asked, events;
  std::map<std::string, std::function<void(Result<void>)>> answers;
};

class EvictionsTest : public testing::Test {
 protected:
  EvictionsTest() {
    spdlog::set_level(spdlog::level::err);
    preemptor_->metadata.uid = "u-high";
    preemptor_->metadata.name = "high";
    preemptor_->spec.scheduler_name = "s";
  }
  static std::shared_ptr<const PodInfo> VictimOf(const std::string& name, bool deleting = false) {
    auto pod = std::make_shared<Pod>();
    pod->metadata.name = name;
    pod->metadata.uid = "u-" + name;
    pod->metadata.deleting = deleting;
    return std::make_shared<const PodInfo>(pod);
  }
  // A picture of node n1 with these Pods.
  static Snapshot Picture(const std::vector<std::shared_ptr<const PodInfo>>& pods) {
    auto node = std::make_shared<Node>();
    node->metadata.name = "n1";
    auto info = std::make_shared<NodeInfo>(node);
    for (const auto& pod : pods) info->AddPod(pod);
    return Snapshot(1, {info});
  }

  KeepingWriter writer_;
  std::vector<std::string> failed_;
  Evictions evictions_{writer_, [this](const std::string& uid) { failed_.push_back(uid); }};
  std::shared_ptr<Pod> preemptor_ = std::make_shared<Pod>();
};

TEST_F(EvictionsTest, IsUnderWayUntilTheWatchHasSaidSo) {
  evictions_.Start(preemptor_, "n1", {VictimOf("a"), VictimOf("b"), VictimOf("c", true)});
  EXPECT_THAT(writer_.asked, ElementsAre("a: s: preempting to accommodate a higher priority pod",
                                         "b: s: preempting to accommodate a higher priority pod"))
      << "the third is terminating already";
  writer_.answers["a"]({});
  writer_.answers["b"]({});
  EXPECT_THAT(writer_.events,
              ElementsAre("Preempted a for high: Preempted by pod u-high on node n1",
                          "Preempted b for high: Preempted by pod u-high on node n1"));
  EXPECT_TRUE(evictions_.UnderWay("u-high", Picture({VictimOf("a"), VictimOf("b")})));
  EXPECT_TRUE(evictions_.UnderWay("u-high", Picture({VictimOf("b")})));
  EXPECT_FALSE(evictions_.UnderWay("u-other", Picture({VictimOf("b")})));
  EXPECT_FALSE(evictions_.UnderWay("u-high", Picture({VictimOf("b", true)})));
  EXPECT_FALSE(evictions_.UnderWay("u-high", Picture({VictimOf("b")}))) << "that was it";
  EXPECT_THAT(failed_, IsEmpty());
}

TEST_F(EvictionsTest, AVictimThatWentByItselfIsNoFailure) {
  evictions_.Start(preemptor_, "n1", {VictimOf("a")});
  writer_.answers["a"](Error(ErrorCode::kNotFound, "gone"));
  EXPECT_THAT(failed_, IsEmpty());
  EXPECT_THAT(writer_.events, IsEmpty());
  EXPECT_FALSE(evictions_.UnderWay("u-high", Picture({})));
}

TEST_F(EvictionsTest, AFailureEndsTheWaiting) {
  evictions_.Start(preemptor_, "n1", {VictimOf("a"), VictimOf("b")});
  writer_.answers["a"](Error(ErrorCode::kPermissionDenied, "no"));
  EXPECT_THAT(failed_, ElementsAre("u-high"));
  EXPECT_FALSE(evictions_.UnderWay("u-high", Picture({VictimOf("a"), VictimOf("b")})));
}

TEST_F(EvictionsTest, NobodyToEvictIsNothingToWaitFor) {
  evictions_.Start(preemptor_, "n1", {VictimOf("a", true)});
  EXPECT_THAT(writer_.asked, IsEmpty());
  EXPECT_FALSE(evictions_.UnderWay("u-high", Picture({VictimOf("a", true)})));
}

TEST_F(EvictionsTest, ANodeThatIsGoneHoldsNobody) {
  evictions_.Start(preemptor_, "n1", {VictimOf("a")});
  EXPECT_FALSE(evictions_.UnderWay("u-high", Snapshot()));
}

TEST_F(EvictionsTest, TellsWhoseLastVictimHasGone) {
  evictions_.Start(preemptor_, "n1", {VictimOf("a"), VictimOf("b")});
  EXPECT_THAT(evictions_.OnGone("u-other"), IsEmpty());
  EXPECT_THAT(evictions_.OnGone("u-a"), IsEmpty());
  EXPECT_THAT(evictions_.OnGone("u-b"), ElementsAre("u-high"));
  EXPECT_THAT(evictions_.OnGone("u-b"), IsEmpty());
  EXPECT_FALSE(evictions_.UnderWay("u-high", Picture({VictimOf("b")})));
}

TEST_F(EvictionsTest, IsForgottenWithThePod) {
  evictions_.Start(preemptor_, "n1", {VictimOf("a")});
  evictions_.Forget("u-high");
  EXPECT_FALSE(evictions_.UnderWay("u-high", Picture({VictimOf("a")})));
}

}  // namespace
}  // namespace leadline
