#include "leadline/decisions/rotating_file.h"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace leadline {
namespace {

namespace fs = std::filesystem;

std::string Read(const std::string& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class RotatingFileTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  void TearDown() override { fs::remove_all(directory_); }

  const std::string directory_ = testing::TempDir() + "rotating_file_test";
  const std::string path_ = directory_ + "/a.log";
};

TEST_F(RotatingFileTest, AppendsAndRotates) {
  RotatingFile file(path_, {.max_bytes = 10, .keep = 2});
  for (const char* line : {"aaaa", "bbbb", "cccc", "dddd", "eeee", "ffff", "gggg"}) {
    EXPECT_TRUE(file.WriteLine(line));
  }
  EXPECT_EQ(Read(path_), "gggg\n");
  EXPECT_EQ(Read(path_ + ".1"), "eeee\nffff\n");
  EXPECT_EQ(Read(path_ + ".2"), "cccc\ndddd\n");
  EXPECT_FALSE(fs::exists(path_ + ".3"));
}

TEST_F(RotatingFileTest, EndsATornLineFirst) {
  std::ofstream(path_) << "torn";
  RotatingFile file(path_, {});
  EXPECT_TRUE(file.WriteLine("whole"));
  EXPECT_EQ(Read(path_), "torn\nwhole\n");
}

TEST_F(RotatingFileTest, DropsAndCountsWhatCannotBeWrittenThenGoesOn) {
  RotatingFile file(directory_ + "/absent/a.log", {});
  EXPECT_FALSE(file.WriteLine("lost"));
  EXPECT_EQ(file.dropped(), 1u);
  EXPECT_THAT(file.last_error(), testing::HasSubstr("absent/a.log: No such file"));
  fs::create_directories(directory_ + "/absent");
  EXPECT_TRUE(file.WriteLine("kept"));
  EXPECT_EQ(Read(file.path()), "kept\n");
}

TEST_F(RotatingFileTest, SurvivesAFullDisk) {
  // The file size limit makes write() fail half way, as a full disk does.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  RotatingFile file(path_, {});
  EXPECT_TRUE(file.WriteLine("first"));
  rlimit small = before;
  small.rlim_cur = 10;
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_FALSE(file.WriteLine("too long for what is left"));
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(file.WriteLine("last"));
  EXPECT_EQ(Read(path_), "first\ntoo \nlast\n");
}

}  // namespace
}  // namespace leadline
