// What a stage's author includes: Description, in which a stage says everything about itself once, and
// REGISTER_STAGE.
//
//   struct KnnContext {
//     int k = 10;
//     static void describe(Description<KnnContext>& stage) {
//       stage.named("context.knn", "Links every primitive to its K nearest primitives in the same image.");
//       stage.param("k", &KnnContext::k).range(1, 1000).doc("neighbours of each primitive");
//       stage.input<Primitives>("primitives");
//       stage.output<ContextGraph>("context");
//     }
//     ContextGraph run(const Primitives& primitives, StageRun& run) const;
//   };
//   REGISTER_STAGE(KnnContext);
//
// A stage with `each` ports is a function of one item: run(const Image&, const Codebook&, StageRun&) ->
// ImagePrimitives; the engine applies it to the whole set, streams it and resumes it. `run` takes its inputs
// in the order described, an optional one as a pointer, and returns its output, a std::tuple of them, or
// nothing (stages that only write files). Two more members are looked for: `void check(StageCheck&) const`
// for what a range cannot say, and `Estimate estimate(std::span<const Estimate> inputs) const` for `validate
// --plan`.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "pipeline/errors.hpp"
#include "pipeline/stage_type.hpp"

namespace contexton {

// Specialise for an enumeration used as a parameter:
//   template <> struct EnumNames<Norm> { static constexpr std::pair<Norm, const char*> values[] =
//   {{Norm::none, "none"}, ...}; };
template <class E>
struct EnumNames;

namespace detail {

template <class T>
struct ParamCodec;

struct ParamKind {
  std::string type;
  nlohmann::ordered_json schema;
  std::vector<std::string> choices = {};
};

template <>
struct ParamCodec<bool> {
  static ParamKind kind() { return {"true or false", {{"type", "boolean"}}}; }
  static bool read(const nlohmann::ordered_json& json, bool& value) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
    return true;
  }
  static nlohmann::ordered_json write(bool value) { return value; }
};

template <std::integral T>
struct ParamCodec<T> {
  static ParamKind kind() { return {"integer", {{"type", "integer"}}}; }
  static bool read(const nlohmann::ordered_json& json, T& value) {
    // 200.0 and 2e2 are integers to people.
    if (json.is_number_float()) {
      const double number = json.get<double>();
      if (number != std::floor(number) || std::abs(number) > 9e15) return false;
      value = static_cast<T>(number);
      return static_cast<double>(value) == number;
    }
    if (!json.is_number_integer()) return false;
    if (json.is_number_unsigned()) {
      const auto number = json.get<std::uint64_t>();
      value = static_cast<T>(number);
      return std::in_range<T>(number);
    }
    const auto number = json.get<std::int64_t>();
    value = static_cast<T>(number);
    return std::in_range<T>(number);
  }
  static nlohmann::ordered_json write(T value) { return value; }
};

template <>
struct ParamCodec<double> {
  static ParamKind kind() { return {"number", {{"type", "number"}}}; }
  static bool read(const nlohmann::ordered_json& json, double& value) {
    if (!json.is_number()) return false;
    value = json.get<double>();
    return std::isfinite(value);
  }
  static nlohmann::ordered_json write(double value) { return value; }
};

template <>
struct ParamCodec<std::string> {
  static ParamKind kind() { return {"text", {{"type", "string"}}}; }
  static bool read(const nlohmann::ordered_json& json, std::string& value) {
    if (!json.is_string()) return false;
    value = json.get<std::string>();
    return true;
  }
  static nlohmann::ordered_json write(const std::string& value) { return value; }
};

template <class E>
requires std::is_enum_v<E>
struct ParamCodec<E> {
  static ParamKind kind() {
    ParamKind kind{"one of", {{"enum", nlohmann::ordered_json::array()}}};
    for (const auto& [value, name] : EnumNames<E>::values) {
      kind.choices.emplace_back(name);
      kind.schema["enum"].push_back(name);
    }
    return kind;
  }
  static bool read(const nlohmann::ordered_json& json, E& into) {
    if (!json.is_string()) return false;
    for (const auto& [value, name] : EnumNames<E>::values)
      if (json.get<std::string>() == name) {
        into = value;
        return true;
      }
    return false;
  }
  static nlohmann::ordered_json write(E wanted) {
    for (const auto& [value, name] : EnumNames<E>::values)
      if (value == wanted) return name;
    return nullptr;
  }
};

inline std::string plural(const std::string& type) {
  return type == "text" ? "texts" : type == "true or false" ? "true/false" : type + "s";
}

template <class T>
struct ParamCodec<std::vector<T>> {
  static ParamKind kind() {
    const ParamKind element = ParamCodec<T>::kind();
    return {
        "list of " + plural(element.type), {{"type", "array"}, {"items", element.schema}}, element.choices};
  }
  static bool read(const nlohmann::ordered_json& json, std::vector<T>& values) {
    if (!json.is_array()) return false;
    std::vector<T> read;
    for (const auto& element : json)
      if (T value{}; ParamCodec<T>::read(element, value))
        read.push_back(std::move(value));
      else
        return false;
    values = std::move(read);
    return true;
  }
  static nlohmann::ordered_json write(const std::vector<T>& values) {
    auto json = nlohmann::ordered_json::array();
    for (const T& value : values) json.push_back(ParamCodec<T>::write(value));
    return json;
  }
};

// [low, high], low <= high.
template <>
struct ParamCodec<std::array<double, 2>> {
  static ParamKind kind() {
    return {"range [low, high]",
            {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}}};
  }
  static bool read(const nlohmann::ordered_json& json, std::array<double, 2>& value) {
    if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number()) return false;
    value = {json[0].get<double>(), json[1].get<double>()};
    return value[0] <= value[1];
  }
  static nlohmann::ordered_json write(const std::array<double, 2>& value) {
    return nlohmann::ordered_json::array({value[0], value[1]});
  }
};

// Numbers inside a JSON value, for range checks.
template <class Visit>
void for_each_number(const nlohmann::ordered_json& value, const Visit& visit) {
  if (value.is_number()) visit(value.get<double>());
  if (value.is_array())
    for (const auto& element : value) for_each_number(element, visit);
}

std::string expectation(const ParamInfo& param);  // "an integer from 1 to 1000 (px)"

template <class T>
struct RunSignature;
template <class S, class R, class... Args>
struct RunSignature<R (S::*)(Args...) const> {
  using Result = R;
  using Arguments = std::tuple<Args...>;
  static constexpr std::size_t inputs = sizeof...(Args) - 1;  // the last is StageRun&
};

template <class R>
struct ResultTypes {
  static std::vector<std::type_index> list() { return {typeid(R)}; }
  static std::vector<Value> values(R&& result) { return {std::make_shared<const R>(std::move(result))}; }
};
template <class... Rs>
struct ResultTypes<std::tuple<Rs...>> {
  static std::vector<std::type_index> list() { return {typeid(Rs)...}; }
  static std::vector<Value> values(std::tuple<Rs...>&& results) {
    return std::apply(
        [](auto&&... result) {
          return std::vector<Value>{
              std::make_shared<const std::decay_t<decltype(result)>>(std::move(result))...};
        },
        std::move(results));
  }
};
template <>
struct ResultTypes<void> {
  static std::vector<std::type_index> list() { return {}; }
};

template <class Argument>
decltype(auto) as_argument(const void* input) {
  using Plain =
      std::remove_cv_t<std::remove_reference_t<std::remove_pointer_t<std::remove_reference_t<Argument>>>>;
  if constexpr (std::is_pointer_v<std::remove_reference_t<Argument>>)
    return static_cast<const Plain*>(input);
  else
    return static_cast<const Plain&>(*static_cast<const Plain*>(input));
}

}  // namespace detail

class ParamBuilder {
 public:
  explicit ParamBuilder(ParamInfo& info) : info_(info) {}
  ParamBuilder& range(double least, double most) {
    info_.least = least;
    info_.most = most;
    return *this;
  }
  ParamBuilder& at_least(double least) {
    info_.least = least;
    return *this;
  }
  ParamBuilder& unit(std::string unit) {
    info_.unit = std::move(unit);
    return *this;
  }
  ParamBuilder& doc(std::string doc) {
    info_.doc = std::move(doc);
    return *this;
  }
  ParamBuilder& required() {
    info_.required = true;
    return *this;
  }
  ParamBuilder& says_where() {
    info_.says_where = true;
    return *this;
  }

 private:
  ParamInfo& info_;
};

class PortBuilder {
 public:
  explicit PortBuilder(PortInfo& info) : info_(info) {}
  PortBuilder& doc(std::string doc) {
    info_.doc = std::move(doc);
    return *this;
  }
  PortBuilder& optional() {
    info_.optional = true;
    return *this;
  }

 private:
  PortInfo& info_;
};

template <class S>
class Description {
 public:
  void named(std::string name, std::string summary) {
    type_.name = std::move(name);
    type_.summary = std::move(summary);
  }
  void version(int version) { type_.version = version; }
  void source() { type_.source = true; }
  void random() { type_.random = true; }
  void keeps_recipe() { type_.keeps_recipe = true; }
  // Bytes a per-item stage holds for every byte of its input item; bounds how many items are in flight.
  void working_memory(double bytes_per_byte) { type_.working_memory = bytes_per_byte; }

  template <class T>
  ParamBuilder param(std::string name, T S::*member) {
    using Codec = detail::ParamCodec<T>;
    auto info = std::make_unique<ParamInfo>();
    auto kind = Codec::kind();
    info->name = std::move(name);
    info->type = std::move(kind.type);
    info->schema = std::move(kind.schema);
    info->choices = std::move(kind.choices);
    info->default_value = Codec::write(S{}.*member);
    info->get = [member](const void* stage) { return Codec::write(static_cast<const S*>(stage)->*member); };
    info->set = [member, self = info.get()](
                    void* stage, const nlohmann::ordered_json& json) -> std::optional<std::string> {
      T value{};
      bool fits = Codec::read(json, value);
      if (fits)
        detail::for_each_number(json, [&](double number) {
          fits &= !(self->least && number < *self->least) && !(self->most && number > *self->most);
        });
      if (!fits) return detail::expectation(*self);
      static_cast<S*>(stage)->*member = std::move(value);
      return std::nullopt;
    };
    params_.push_back(std::move(info));
    return ParamBuilder(*params_.back());
  }

  template <class T>
  PortBuilder input(std::string name) {
    return add_port<T>(type_.inputs, std::move(name), false);
  }
  template <ItemSet T>
  PortBuilder each(std::string name) {
    type_.per_item = true;
    return add_port<T>(type_.inputs, std::move(name), true);
  }
  template <class T>
  PortBuilder output(std::string name) {
    return add_port<T>(type_.outputs, std::move(name), false);
  }
  template <ItemSet T>
  PortBuilder output_each(std::string name) {
    return add_port<T>(type_.outputs, std::move(name), true);
  }

  StageType finish();

 private:
  template <class T>
  PortBuilder add_port(std::vector<PortInfo>& ports, std::string name, bool each) {
    ports.reserve(16);  // builders hold references
    ports.push_back({std::move(name), "", &artifact_type<T>(), each, false});
    return PortBuilder(ports.back());
  }
  template <std::size_t... I>
  void bind_run(std::index_sequence<I...>);

  StageType type_;
  std::vector<std::unique_ptr<ParamInfo>> params_;  // stable addresses while being described
};

template <class S>
template <std::size_t... I>
void Description<S>::bind_run(std::index_sequence<I...>) {
  using Signature = detail::RunSignature<decltype(&S::run)>;
  using Arguments = typename Signature::Arguments;
  using Result = typename Signature::Result;
  const auto fail = [&](const std::string& problem) {
    throw std::logic_error("stage " + type_.name + ": " + problem);
  };

  if (type_.inputs.size() != sizeof...(I)) fail("run takes another number of inputs than described");
  const std::vector<std::pair<std::type_index, bool>> taken{
      {typeid(std::remove_cv_t<std::remove_reference_t<
                  std::remove_pointer_t<std::remove_reference_t<std::tuple_element_t<I, Arguments>>>>>),
       std::is_pointer_v<std::remove_reference_t<std::tuple_element_t<I, Arguments>>>}...};
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const PortInfo& port = type_.inputs[i];
    if (taken[i].first != (port.each ? port.artifact->item_type : port.artifact->type))
      fail("run takes another type than described for input " + port.name);
    if (taken[i].second != port.optional)
      fail("run takes exactly its optional inputs as pointers; see " + port.name);
  }
  const std::vector<std::type_index> given = detail::ResultTypes<Result>::list();
  if (given.size() != type_.outputs.size()) fail("run returns another number of outputs than described");
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] !=
        (type_.outputs[i].each ? type_.outputs[i].artifact->item_type : type_.outputs[i].artifact->type))
      fail("run returns another type than described for output " + type_.outputs[i].name);

  type_.run = [](const void* stage, [[maybe_unused]] std::span<const void* const> inputs,
                 StageRun& run) -> std::vector<Value> {
    const S& self = *static_cast<const S*>(stage);
    if constexpr (std::is_void_v<Result>) {
      self.run(detail::as_argument<std::tuple_element_t<I, Arguments>>(inputs[I])..., run);
      return {};
    } else {
      return detail::ResultTypes<Result>::values(
          self.run(detail::as_argument<std::tuple_element_t<I, Arguments>>(inputs[I])..., run));
    }
  };
}

template <class S>
StageType Description<S>::finish() {
  S::describe(*this);
  // The setters hold the address of the unique_ptr's ParamInfo: keep those alive beside the copies people
  // read.
  for (auto& param : params_) {
    std::shared_ptr<ParamInfo> kept(std::move(param));
    ParamInfo info = *kept;
    info.set = [kept](void* stage, const nlohmann::ordered_json& json) { return kept->set(stage, json); };
    type_.params.push_back(std::move(info));
  }
  bind_run(std::make_index_sequence<detail::RunSignature<decltype(&S::run)>::inputs>{});
  type_.create = [] { return std::static_pointer_cast<void>(std::make_shared<S>()); };
  if constexpr (requires(const S& s, StageCheck& check) { s.check(check); })
    type_.check = [](const void* stage, StageCheck& check) { static_cast<const S*>(stage)->check(check); };
  if constexpr (requires(const S& s, std::span<const Estimate> inputs) { s.estimate(inputs); })
    type_.estimate = [](const void* stage, std::span<const Estimate> inputs) {
      return static_cast<const S*>(stage)->estimate(inputs);
    };
  return std::move(type_);
}

template <class S>
struct StageRegistration {
  StageRegistration() { Registry::global().add(Description<S>().finish()); }
};

#define REGISTER_STAGE(Stage) static const ::contexton::StageRegistration<Stage> registration_of_##Stage

}  // namespace contexton
