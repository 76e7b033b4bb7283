#include "leadline/exporter/exposition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "leadline/exporter/buckets.h"

namespace leadline {
namespace {

using testing::ElementsAre;

TEST(FormatMetricValueTest, WritesNumbersAsGoDoes) {
  EXPECT_EQ(FormatMetricValue(0), "0");
  EXPECT_EQ(FormatMetricValue(-1.5), "-1.5");
  EXPECT_EQ(FormatMetricValue(0.0001), "0.0001");
  EXPECT_EQ(FormatMetricValue(0.00001), "1e-05");
  EXPECT_EQ(FormatMetricValue(327680), "327680");
  EXPECT_EQ(FormatMetricValue(1000000), "1e+06");
  EXPECT_EQ(FormatMetricValue(268435456), "2.68435456e+08");
  EXPECT_EQ(FormatMetricValue(1.79609643458e+09), "1.79609643458e+09");
  EXPECT_EQ(FormatMetricValue(std::numeric_limits<double>::infinity()), "+Inf");
  EXPECT_EQ(FormatMetricValue(-std::numeric_limits<double>::infinity()), "-Inf");
  EXPECT_EQ(FormatMetricValue(std::nan("")), "NaN");
}

std::vector<std::string> Bounds(const std::vector<double>& buckets) {
  std::vector<std::string> text;
  for (const double bound : buckets) text.push_back(FormatMetricValue(bound));
  return text;
}

// As printed in `le` by kube-scheduler v1.37.2.
TEST(BucketsTest, AreKubeSchedulersDigitForDigit) {
  EXPECT_THAT(Bounds(buckets::ExtensionPoint()),
              ElementsAre("0.0001", "0.0002", "0.0004", "0.0008", "0.0016", "0.0032", "0.0064",
                          "0.0128", "0.0256", "0.0512", "0.1024", "0.2048"));
  EXPECT_THAT(Bounds(buckets::NodeHint()),
              ElementsAre("1e-05", "2e-05", "4e-05", "8e-05", "0.00016", "0.00032", "0.00064",
                          "0.00128", "0.00256", "0.00512", "0.01024", "0.02048"));
  EXPECT_THAT(
      Bounds(buckets::PluginExecution()),
      ElementsAre("1e-05", "1.5000000000000002e-05", "2.2500000000000005e-05",
                  "3.375000000000001e-05", "5.062500000000001e-05", "7.593750000000002e-05",
                  "0.00011390625000000003", "0.00017085937500000006", "0.0002562890625000001",
                  "0.00038443359375000017", "0.0005766503906250003", "0.0008649755859375004",
                  "0.0012974633789062506", "0.0019461950683593758", "0.0029192926025390638",
                  "0.004378938903808595", "0.006568408355712893", "0.009852612533569338",
                  "0.014778918800354007", "0.02216837820053101"));
  EXPECT_THAT(Bounds(buckets::Attempts()), ElementsAre("1", "2", "4", "8", "16"));
  EXPECT_THAT(Bounds(buckets::PodScheduling()),
              ElementsAre("0.01", "0.02", "0.04", "0.08", "0.16", "0.32", "0.64", "1.28", "2.56",
                          "5.12", "10.24", "20.48", "40.96", "81.92", "163.84", "327.68", "655.36",
                          "1310.72", "2621.44", "5242.88"));
  EXPECT_THAT(Bounds(buckets::PreemptionVictims()),
              ElementsAre("1", "2", "4", "8", "16", "32", "64"));
  EXPECT_THAT(Bounds(buckets::SchedulingAttempt()),
              ElementsAre("0.001", "0.002", "0.004", "0.008", "0.016", "0.032", "0.064", "0.128",
                          "0.256", "0.512", "1.024", "2.048", "4.096", "8.192", "16.384"));
  EXPECT_THAT(Bounds(buckets::RestClient()), ElementsAre("0.005", "0.025", "0.1", "0.25", "0.5",
                                                         "1", "2", "4", "8", "15", "30", "60"));
}

TEST(EscapeTest, EscapesWhatTheFormatAsksFor) {
  EXPECT_EQ(EscapeLabelValue("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
  EXPECT_EQ(EscapeHelp("a\"b\\c\nd"), "a\"b\\\\c\\nd");
}

TEST(ToValidUtf8Test, KeepsWhatIsValid) {
  const std::string text = "plain \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80";
  EXPECT_EQ(ToValidUtf8(text), text);
}

TEST(ToValidUtf8Test, ReplacesEachByteThatIsNot) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(ToValidUtf8("a\xFFz"), "a" + bad + "z");
  EXPECT_EQ(ToValidUtf8("\xC3"), bad);                                // cut short
  EXPECT_EQ(ToValidUtf8("\xC0\x80"), bad + bad);                      // overlong
  EXPECT_EQ(ToValidUtf8("\xED\xA0\x80"), bad + bad + bad);            // surrogate
  EXPECT_EQ(ToValidUtf8("\xF4\x90\x80\x80"), bad + bad + bad + bad);  // beyond U+10FFFF
}

TEST(LabelNamesForTest, MakesLegalNames) {
  EXPECT_THAT(LabelNamesFor({"topology.kubernetes.io/zone", "9lives", "\xC3\xA9t\xC3\xA9"}),
              ElementsAre("label_topology_kubernetes_io_zone", "label_9lives", "label___t__"));
  EXPECT_THAT(LabelNamesFor({"9lives", "", "__name__"}, ""),
              ElementsAre("_9lives", "_", "key__name__"));
}

TEST(LabelNamesForTest, ClashesAreNumberedInTheKeysOrder) {
  EXPECT_THAT(LabelNamesFor({"a_b", "zone", "a-b"}),
              ElementsAre("label_a_b_conflict2", "label_zone", "label_a_b_conflict1"));
  EXPECT_THAT(LabelNamesFor({"a_b", "a-b", "a_b_conflict1"}),
              ElementsAre("label_a_b_conflict3", "label_a_b_conflict2", "label_a_b_conflict1"));
}

}  // namespace
}  // namespace leadline
