#include "netlab/delay_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace leadline::netlab {
namespace {

using std::chrono::milliseconds;

SteadyTime At(int ms) { return SteadyTime{} + milliseconds(ms); }

TEST(DelayQueue, HoldsUntilDue) {
  DelayQueue<std::string> queue;
  EXPECT_EQ(queue.next_due(), std::nullopt);
  queue.Push(At(5), "late");
  queue.Push(At(3), "early");
  EXPECT_EQ(queue.next_due(), At(3));
  EXPECT_EQ(queue.Pop(At(2)), std::nullopt);
  EXPECT_EQ(queue.Pop(At(3)), "early");
  EXPECT_EQ(queue.Pop(At(3)), std::nullopt);
  EXPECT_EQ(queue.Pop(At(9)), "late");
  EXPECT_EQ(queue.size(), 0u);
}

TEST(DelayQueue, KeepsTheOrderOfEqualTimes) {
  DelayQueue<int> queue;
  for (int i = 0; i < 100; ++i) queue.Push(At(1), i);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(queue.Pop(At(1)), i);
}

TEST(DelayQueue, SortsByTimeWhateverTheOrderIn) {
  DelayQueue<int> queue;
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    const int due = static_cast<int>(random() % 500);
    queue.Push(At(due), due);
  }
  int last = -1;
  while (const auto due = queue.Pop(At(500))) {
    EXPECT_GE(*due, last);
    last = *due;
  }
  EXPECT_EQ(queue.size(), 0u);
}

}  // namespace
}  // namespace leadline::netlab
