// Plugins that look at claims, volumes and the rest of storage, written as JSON.
#pragma once

#include <string>

#include "scheduler/plugins/plugin_fixture.h"

namespace leadline {

class StorageFixture : public PluginFixture {
 protected:
  // `extra`: further members of the spec, each with a comma before it.
  void AddClaim(const std::string& name, const std::string& spec,
                const std::string& metadata = "") {
    listers_.claims.Put(Claim(name, spec, metadata));
  }
  static std::shared_ptr<const PersistentVolumeClaim> Claim(const std::string& name,
                                                            const std::string& spec,
                                                            const std::string& metadata = "") {
    return Read(ParsePersistentVolumeClaim(R"({"metadata":{"namespace":"ns","name":")" + name +
                                           "\"" + metadata + R"(},"spec":{)" + spec + "}}"));
  }
  void AddVolume(const std::string& name, const std::string& spec, const std::string& labels = "") {
    listers_.volumes.Put(PersistentVolumeOf(name, spec, labels));
  }
  static std::shared_ptr<const PersistentVolume> PersistentVolumeOf(
      const std::string& name, const std::string& spec, const std::string& labels = "") {
    return Read(ParsePersistentVolume(R"({"metadata":{"name":")" + name + R"(","labels":{)" +
                                      labels + R"(}},"spec":{)" + spec + "}}"));
  }
  void AddClass(const std::string& name, const std::string& members) {
    listers_.storage_classes.Put(Class(name, members));
  }
  static std::shared_ptr<const StorageClass> Class(const std::string& name,
                                                   const std::string& members) {
    return Read(ParseStorageClass(R"({"metadata":{"name":")" + name + "\"}," + members + "}"));
  }

  void AddCapacity(const std::string& name, const std::string& members) {
    listers_.storage_capacities.Put(Capacity(name, members));
  }
  static std::shared_ptr<const CsiStorageCapacity> Capacity(const std::string& name,
                                                            const std::string& members) {
    return Read(ParseCsiStorageCapacity(R"({"metadata":{"name":")" + name +
                                        R"(","namespace":"ns"},)" + members + "}"));
  }

  // "persistentVolumeClaim":{"claimName":...} and the like, one volume each.
  static std::string Volumes(const std::vector<std::string>& sources) {
    std::string text;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      text += (i == 0 ? "" : ",") + std::string(R"({"name":"v)") + std::to_string(i) + "\"," +
              sources[i] + "}";
    }
    return R"("spec":{"volumes":[)" + text + "]}";
  }
  static std::string Uses(const std::string& claim) {
    return R"("persistentVolumeClaim":{"claimName":")" + claim + "\"}";
  }
  static std::string PodJson(const std::string& name, const std::vector<std::string>& sources,
                             const std::string& space = "ns") {
    return R"({"metadata":{"name":")" + name + R"(","namespace":")" + space + R"(","uid":"uid-)" +
           name + R"("},)" + Volumes(sources) + "}";
  }
  static PodInfo PodWith(const std::vector<std::string>& sources) {
    return MakePod(PodJson("new", sources));
  }

 private:
  template <typename T>
  static std::shared_ptr<const T> Read(Result<T> object) {
    EXPECT_TRUE(object) << object.error().message();
    return std::make_shared<const T>(std::move(object).value());
  }
};

}  // namespace leadline
