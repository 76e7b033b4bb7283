#include "leadline/core/api_volume_writer.h"

#include <future>
#include <mutex>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/http/io_thread.h"
#include "common/kubernetes/fake_api.h"

namespace leadline {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ApiVolumeWriterTest : public ::testing::Test {
 protected:
  ApiVolumeWriterTest() {
    server_.emplace([this](RawServer::Peer& peer, const FakeRequest& request) {
      const std::lock_guard lock(mutex_);
      text_ = request.text;
      if (conflict_) return peer.Answer(StatusJson(409, "Conflict", "modified"), "409 Conflict");
      return peer.Answer(answer_);
    });
    ApiClientOptions options;
    options.first_backoff = std::chrono::milliseconds(1);
    api_.emplace(loop_.io(), server_->Config(), options);
    writer_.emplace(*api_);
    claim_.metadata.namespace_name = "ns";
    claim_.metadata.name = "c";
    claim_.metadata.uid = "uid-c";
    claim_.metadata.resource_version = "7";
    volume_.metadata.name = "pv";
    volume_.metadata.uid = "uid-pv";
    volume_.metadata.resource_version = "9";
  }
  ~ApiVolumeWriterTest() override { loop_.Stop(); }

  Result<std::string> KeepVolume() {
    std::promise<Result<std::string>> promise;
    writer_->KeepVolume(volume_, claim_, [&](Result<std::string> version) {
      promise.set_value(std::move(version));
    });
    return promise.get_future().get();
  }
  Result<std::string> SelectNode() {
    std::promise<Result<std::string>> promise;
    writer_->SelectNode(
        claim_, "n1", [&](Result<std::string> version) { promise.set_value(std::move(version)); });
    return promise.get_future().get();
  }

  std::mutex mutex_;
  std::string text_, answer_ = R"({"metadata":{"resourceVersion":"10"}})";
  bool conflict_ = false;
  PersistentVolume volume_;
  PersistentVolumeClaim claim_;
  IoThread loop_;
  std::optional<FakeApi> server_;
  std::optional<ApiClient> api_;
  std::optional<ApiVolumeWriter> writer_;
};

TEST_F(ApiVolumeWriterTest, KeepsTheVolumeAsItWasRead) {
  volume_.metadata.annotations.emplace(kBoundByControllerAnnotation, "yes");
  volume_.metadata.annotations.emplace("other", "x");
  EXPECT_EQ(KeepVolume().value(), "10");
  EXPECT_THAT(text_, HasSubstr("PATCH /api/v1/persistentvolumes/pv HTTP"));
  EXPECT_THAT(text_, HasSubstr("application/merge-patch+json"));
  EXPECT_THAT(text_, HasSubstr(R"({"metadata":{"uid":"uid-pv","resourceVersion":"9","annotations":)"
                               R"({"pv.kubernetes.io/bound-by-controller":"yes"}},"spec":)"
                               R"({"claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim",)"
                               R"("namespace":"ns","name":"c","uid":"uid-c",)"
                               R"("resourceVersion":"7"}}})"));
}

TEST_F(ApiVolumeWriterTest, LeavesTheMarkOutWhereTheUserChose) {
  ASSERT_TRUE(KeepVolume());
  EXPECT_THAT(text_, Not(HasSubstr("annotations")));
}

TEST_F(ApiVolumeWriterTest, SelectsTheNodeOfAClaim) {
  EXPECT_EQ(SelectNode().value(), "10");
  EXPECT_THAT(text_, HasSubstr("PATCH /api/v1/namespaces/ns/persistentvolumeclaims/c HTTP"));
  EXPECT_THAT(text_, HasSubstr(R"({"metadata":{"uid":"uid-c","resourceVersion":"7","annotations":)"
                               R"({"volume.kubernetes.io/selected-node":"n1"}}})"));
}

TEST_F(ApiVolumeWriterTest, TellsOfConflictsAndOfAnswersItCannotRead) {
  answer_ = "[]";
  EXPECT_THAT(std::string(SelectNode().error().message()), HasSubstr("reading what was written"));
  conflict_ = true;
  const Result<std::string> refused = KeepVolume();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kConflict);
}

}  // namespace
}  // namespace leadline
