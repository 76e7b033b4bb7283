#include "json_reader.h"

namespace leadline {
namespace {

using Value = JsonReader::Value;

void ReadPorts(JsonReader& reader, Value value, std::vector<ContainerPort>* out) {
  reader.Items(value, [&](Value item) {
    ContainerPort port;
    reader.Members(item, [&](std::string_view key, Value part) {
      if (key == "hostIP") port.host_ip = reader.Text(part);
      if (key == "protocol") port.protocol = reader.Text(part);
      if (key == "hostPort") port.host_port = reader.Integer(part);
    });
    if (port.host_port > 0) out->push_back(std::move(port));
  });
}

bool RestartsAllContainers(JsonReader& reader, Value rules) {
  bool found = false;
  reader.Items(rules, [&](Value rule) {
    reader.Members(rule, [&](std::string_view key, Value item) {
      if (key == "action" && reader.View(item) == "RestartAllContainers") found = true;
    });
  });
  return found;
}

}  // namespace

void ReadContainer(JsonReader& reader, Value value, Container* out) {
  reader.Members(value, [&](std::string_view key, Value item) {
    if (key == "name") {
      out->name = reader.Text(item);
    } else if (key == "image") {
      out->image = reader.Text(item);
    } else if (key == "resources") {
      reader.Members(item, [&](std::string_view part, Value list) {
        if (part == "requests") out->requests = reader.Resources(list);
        if (part == "limits") out->limits = reader.Resources(list);
      });
    } else if (key == "ports") {
      ReadPorts(reader, item, &out->ports);
    } else if (key == "restartPolicy") {
      out->restart_always = reader.View(item) == "Always";
    } else if (key == "restartPolicyRules") {
      out->restarts_all_containers = RestartsAllContainers(reader, item);
    }
  });
}

}  // namespace leadline
