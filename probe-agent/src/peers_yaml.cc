#include "peers_yaml.h"

#include <set>

#include <fmt/format.h>

namespace leadline {
namespace {

Result<std::vector<ProbePeer>> ReadDocument(Result<YamlDocument> document) {
  if (!document) return document.error();
  auto peers = ReadPeerList(document->root());
  if (auto ok = document->Check(); !ok) return ok.error();
  return peers;
}

}  // namespace

std::vector<ProbePeer> ReadPeerList(const YamlNode& list) {
  std::vector<ProbePeer> peers;
  std::set<std::string> nodes;
  for (const YamlNode& item : list.Items()) {
    ProbePeer peer;
    std::string address;
    if (item.Get("node").Require(&peer.node) && !nodes.insert(peer.node).second) {
      item.Get("node").Mistake(fmt::format("\"{}\" is there twice", peer.node));
    }
    if (item.Get("address").Require(&address)) {
      const auto parsed = ParsePeerAddress(address);
      if (parsed) peer.address = *parsed;
      if (!parsed) item.Get("address").Mistake(parsed.error().message());
    }
    item.RejectUnknownKeys();
    peers.push_back(std::move(peer));
  }
  return peers;
}

Result<std::vector<ProbePeer>> ParsePeers(std::string_view yaml, std::string file) {
  return ReadDocument(YamlDocument::Parse(yaml, std::move(file)));
}

Result<std::vector<ProbePeer>> ReadPeersFile(const std::string& file) {
  return ReadDocument(YamlDocument::Load(file));
}

}  // namespace leadline
