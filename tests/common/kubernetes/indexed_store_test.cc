#include "leadline/kubernetes/indexed_store.h"

#include <gtest/gtest.h>

#include <map>

#include "leadline/base/rng.h"
#include "leadline/kubernetes/metadata.h"

namespace leadline {
namespace {

struct Parcel {
  ObjectMeta metadata;
  std::string place;
};
using Parcels = IndexedStore<Parcel, &Parcel::place>;

std::shared_ptr<const Parcel> MakeParcel(const std::string& name, const std::string& place) {
  auto parcel = std::make_shared<Parcel>();
  parcel->metadata.name = name;
  parcel->place = place;
  return parcel;
}

TEST(IndexedStoreTest, FindsByKeyAndByField) {
  Parcels parcels;
  parcels.Put(MakeParcel("a", "x"));
  parcels.Put(MakeParcel("b", "x"));
  parcels.Put(MakeParcel("c", "y"));
  EXPECT_EQ(parcels.CountOn("x"), 2u);
  EXPECT_EQ(parcels.On("y").at(0)->metadata.name, "c");
  EXPECT_TRUE(parcels.On("z").empty());
  EXPECT_EQ(parcels.Get("b")->place, "x");
  EXPECT_EQ(parcels.Get("d"), nullptr);
}

TEST(IndexedStoreTest, FollowsObjectsThatMove) {
  Parcels parcels;
  parcels.Put(MakeParcel("a", "x"));
  parcels.Put(MakeParcel("a", "y"));
  EXPECT_EQ(parcels.CountOn("x"), 0u);
  EXPECT_EQ(parcels.CountOn("y"), 1u);
  parcels.Erase("b");
  parcels.Erase("a");
  EXPECT_EQ(parcels.CountOn("y"), 0u);
  EXPECT_EQ(parcels.size(), 0u);
}

TEST(IndexedStoreTest, AgreesWithAScan) {
  Parcels parcels;
  std::map<std::string, std::string> expected;
  Rng rng(7);
  for (int i = 0; i < 2000; ++i) {
    const std::string name = std::to_string(rng.Below(20));
    if (rng.Below(3) == 0) {
      parcels.Erase(name);
      expected.erase(name);
    } else {
      expected[name] = std::to_string(rng.Below(4));
      parcels.Put(MakeParcel(name, expected[name]));
    }
    for (int place = 0; place < 4; ++place) {
      const auto there = std::count_if(expected.begin(), expected.end(), [&](const auto& entry) {
        return entry.second == std::to_string(place);
      });
      ASSERT_EQ(parcels.CountOn(std::to_string(place)), static_cast<std::size_t>(there));
    }
  }
  EXPECT_EQ(parcels.size(), expected.size());
}

}  // namespace
}  // namespace leadline
