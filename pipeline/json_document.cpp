// nlohmann's SAX parser over an iterator that tells how far it has read: that gives each token's place.
#include "pipeline/json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace contexton {
namespace {

// Reads characters and leaves the position after the last one read in a variable the handler can see.
class WatchedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedIterator(const char* at, std::size_t* read, const char* begin)
      : at_(at), read_(read), begin_(begin) {}
  reference operator*() const { return *at_; }
  WatchedIterator& operator++() {
    ++at_;
    *read_ = std::max(*read_, static_cast<std::size_t>(at_ - begin_));
    return *this;
  }
  WatchedIterator operator++(int) {
    WatchedIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const WatchedIterator& other) const { return at_ == other.at_; }
  bool operator!=(const WatchedIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
  const char* begin_;
};

class Handler : public nlohmann::json_sax<Json> {
 public:
  Handler(const std::string& text, JsonDocument& document, std::vector<Diagnostic>& errors)
      : text_(text), document_(document), errors_(errors) {}

  std::size_t* read() { return &read_; }

  bool null() override { return put(nullptr, literal_start()); }
  bool boolean(bool value) override { return put(value, literal_start()); }
  bool number_integer(number_integer_t value) override { return put(value, number_start()); }
  bool number_unsigned(number_unsigned_t value) override { return put(value, number_start()); }
  bool number_float(number_float_t value, const string_t&) override { return put(value, number_start()); }
  bool string(string_t& value) override { return put(value, string_start()); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.key = name;
    const std::string pointer = level.pointer + "/" + pointer_step(name);
    const Place place = place_at(string_start(), pointer);
    if (const auto before = document_.keys.find(pointer); before != document_.keys.end())
      errors_.push_back(
          {place, fmt::format("'{}' stands twice in this object; it was given in line {} already", name,
                              before->second.line)});
    else
      document_.keys[pointer] = place;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& problem) override {
    std::string message = problem.what();
    if (const auto column = message.find("column "); column != std::string::npos)
      if (const auto colon = message.find(": ", column); colon != std::string::npos)
        message = message.substr(colon + 2);
    const std::size_t at = read_ == 0 ? 0 : read_ - 1;
    errors_.push_back({place_at(at, ""), message});
    return false;
  }

 private:
  struct Level {
    Json* container;
    std::string pointer, key;
  };

  bool put(Json value, std::size_t start) {
    store(std::move(value), start);
    return true;
  }

  bool open(Json container) {
    std::string pointer;
    Json* stored = store(std::move(container), read_ - 1, &pointer);
    levels_.push_back({stored, pointer, ""});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  Json* store(Json value, std::size_t start, std::string* pointer_out = nullptr) {
    std::string pointer;
    Json* stored = &document_.value;
    if (levels_.empty()) {
      document_.value = std::move(value);
    } else {
      Level& level = levels_.back();
      if (level.container->is_array()) {
        pointer = level.pointer + "/" + std::to_string(level.container->size());
        level.container->push_back(std::move(value));
        stored = &level.container->back();
      } else {
        pointer = level.pointer + "/" + pointer_step(level.key);
        stored = &(*level.container)[level.key];
        *stored = std::move(value);
      }
    }
    document_.values[pointer] = place_at(start, pointer);
    if (pointer_out != nullptr) *pointer_out = pointer;
    return stored;
  }

  [[nodiscard]] std::size_t string_start() const {
    std::size_t at = read_ - 1;  // the closing quote
    while (at > 0) {
      --at;
      if (text_[at] != '"') continue;
      std::size_t backslashes = 0;
      while (backslashes < at && text_[at - 1 - backslashes] == '\\') ++backslashes;
      if (backslashes % 2 == 0) break;
    }
    return at;
  }
  [[nodiscard]] std::size_t number_start() const {
    const auto in_number = [&](std::size_t at) {
      return std::strchr("0123456789+-.eE", text_[at]) != nullptr;
    };
    std::size_t end = read_;
    if (end > 0 && !in_number(end - 1)) --end;  // the parser reads one character past a number
    while (end > 0 && in_number(end - 1)) --end;
    return end;
  }
  [[nodiscard]] std::size_t literal_start() const {
    std::size_t at = read_;
    while (at > 0 && std::isalpha(static_cast<unsigned char>(text_[at - 1]))) --at;
    return at;
  }
  [[nodiscard]] Place place_at(std::size_t at, const std::string& pointer) const {
    at = std::min(at, text_.size());
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const auto newline = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
    const std::size_t column = newline == std::string::npos ? at + 1 : at - newline;
    return {document_.file, static_cast<int>(line), static_cast<int>(column), pointer};
  }

  const std::string& text_;
  JsonDocument& document_;
  std::vector<Diagnostic>& errors_;
  std::size_t read_ = 0;
  std::vector<Level> levels_;
};

Place place_in(const std::map<std::string, Place>& places, const std::string& file,
               const std::string& pointer) {
  // The nearest ancestor that is in the file, for things that are missing from it.
  for (std::string at = pointer;;) {
    if (const auto found = places.find(at); found != places.end()) {
      Place place = found->second;
      place.path = pointer;
      return place;
    }
    const auto slash = at.rfind('/');
    if (slash == std::string::npos) return {file, 0, 0, pointer};
    at.resize(slash);
  }
}

}  // namespace

std::string pointer_step(const std::string& name) {
  std::string step;
  for (const char c : name) {
    if (c == '~')
      step += "~0";
    else if (c == '/')
      step += "~1";
    else
      step += c;
  }
  return step;
}

Place JsonDocument::key_place(const std::string& pointer) const {
  return keys.contains(pointer) ? keys.at(pointer) : place_in(values, file, pointer);
}

Place JsonDocument::value_place(const std::string& pointer) const {
  return place_in(values, file, pointer);
}

JsonDocument parse_json_document(const std::string& text, const std::string& file,
                                 std::vector<Diagnostic>& errors) {
  JsonDocument document;
  document.file = file;
  Handler handler(text, document, errors);
  const char* begin = text.data();
  const WatchedIterator first(begin, handler.read(), begin), last(begin + text.size(), handler.read(), begin);
  const bool whole = Json::sax_parse(first, last, &handler, Json::input_format_t::json, true, true);
  if (!whole) document.value = nullptr;
  return document;
}

}  // namespace contexton
