// The types that travel along edges, as the engine sees them: a name, how to keep them, and, for sets, how to
// take them apart.
//
// An artifact is a plain struct with
//     static constexpr const char* kName = "Labels";
//     void save(ArtifactWriter&) const;  static T load(const ArtifactReader&);        kept in the cache
// A set of items (images, primitives per image, one vector per image) is
//     using Item = ...;                                        what a per-item stage gets and gives
//     std::shared_ptr<const ItemTable> items() const;
//     Item item(std::size_t i) const;                          thread-safe
// and either is kept on disk, written item by item, so that it may be larger than memory:
//     struct Writer { explicit Writer(ArtifactWriter&); void add(const Item&); };
//     static T load(const ArtifactReader&, std::shared_ptr<const ItemTable>);
// or is made on demand each time an item is asked for (decoded pixels):
//     static T on_demand(std::shared_ptr<const ItemTable>, std::function<Item(std::size_t)>, const T&
//     upstream);
// A set whose items are heavy says how heavy: std::size_t largest_item_bytes() const. One that is mapped from
// disk gives the memory of what was read back when asked: void release_pages() const.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <typeindex>
#include <vector>

#include "pipeline/artifact_store.hpp"
#include "pipeline/item_table.hpp"

namespace contexton {

using Value = std::shared_ptr<const void>;  // an artifact or an item; its type is known from the port
using Items = std::shared_ptr<const ItemTable>;

template <class T>
concept ItemSet = requires(const T& set, std::size_t i) {
  typename T::Item;
  { set.items() } -> std::convertible_to<Items>;
  { set.item(i) } -> std::same_as<typename T::Item>;
};
template <class T>
concept KeptSet = ItemSet<T> && requires(ArtifactWriter& writer, const ArtifactReader& reader, Items items) {
  typename T::Writer;
  { T::load(reader, items) } -> std::same_as<T>;
};
template <class T>
concept OnDemandSet =
    ItemSet<T> && !KeptSet<T> &&
    requires(Items items, std::function<typename T::Item(std::size_t)> fetch, const T& upstream) {
  { T::on_demand(items, fetch, upstream) } -> std::same_as<T>;
};
template <class T>
concept KeptWhole =
    !ItemSet<T> && requires(const T& artifact, ArtifactWriter& writer, const ArtifactReader& reader) {
  artifact.save(writer);
  { T::load(reader) } -> std::same_as<T>;
};

// Adds items one by one to an artifact on disk.
class ItemWriter {
 public:
  virtual ~ItemWriter() = default;
  virtual void add(const void* item) = 0;
};

struct ArtifactType {
  std::string name;
  std::type_index type = typeid(void), item_type = typeid(void);
  bool is_set = false, is_kept = false;

  std::function<void(const void*, ArtifactWriter&)> save;                   // kept ones, whole
  std::function<Value(const ArtifactReader&, Items)> load;                  // kept ones
  std::function<Items(const void*)> items;                                  // sets
  std::function<Value(const void*, std::size_t)> item;                      // sets
  std::function<std::size_t(const void*)> largest_item_bytes;               // sets; 0 = light
  std::function<void(const void*)> release_pages;                           // sets
  std::function<std::unique_ptr<ItemWriter>(ArtifactWriter&)> item_writer;  // kept sets
  std::function<Value(Items, std::function<Value(std::size_t)>, const void* upstream)> on_demand;
};

// Description of T, made once.
template <class T>
const ArtifactType& artifact_type();

// ---------------------------------------------------------------------------------------------------------------

namespace detail {

template <class T>
class TypedItemWriter : public ItemWriter {
 public:
  explicit TypedItemWriter(ArtifactWriter& store) : writer_(store) {}
  void add(const void* item) override { writer_.add(*static_cast<const typename T::Item*>(item)); }

 private:
  typename T::Writer writer_;
};

template <ItemSet T>
void describe_set(ArtifactType& type) {
  type.is_set = true;
  type.item_type = typeid(typename T::Item);
  type.items = [](const void* set) -> Items { return static_cast<const T*>(set)->items(); };
  type.item = [](const void* set, std::size_t i) -> Value {
    return std::make_shared<const typename T::Item>(static_cast<const T*>(set)->item(i));
  };
  type.largest_item_bytes = [](const void* set) -> std::size_t {
    if constexpr (requires(const T& t) { t.largest_item_bytes(); })
      return static_cast<const T*>(set)->largest_item_bytes();
    else
      return 0;
  };
  type.release_pages = []([[maybe_unused]] const void* set) {
    if constexpr (requires(const T& t) { t.release_pages(); }) static_cast<const T*>(set)->release_pages();
  };
}

template <KeptSet T>
void describe_kept_set(ArtifactType& type) {
  type.is_kept = true;
  type.load = [](const ArtifactReader& reader, Items items) -> Value {
    return std::make_shared<const T>(T::load(reader, std::move(items)));
  };
  type.item_writer = [](ArtifactWriter& store) { return std::make_unique<TypedItemWriter<T>>(store); };
  type.save = [](const void* artifact, ArtifactWriter& store) {
    const T& set = *static_cast<const T*>(artifact);
    typename T::Writer writer(store);
    for (std::size_t i = 0; i < set.items()->size(); ++i) writer.add(set.item(i));
  };
}

}  // namespace detail

template <class T>
const ArtifactType& artifact_type() {
  static_assert(KeptSet<T> || OnDemandSet<T> || KeptWhole<T>,
                "see the top of pipeline/artifact.hpp for what an artifact needs");
  static const ArtifactType described = [] {
    ArtifactType type;
    type.name = T::kName;
    type.type = typeid(T);
    if constexpr (ItemSet<T>) detail::describe_set<T>(type);
    if constexpr (KeptSet<T>) detail::describe_kept_set<T>(type);
    if constexpr (KeptWhole<T>) {
      type.is_kept = true;
      type.save = [](const void* artifact, ArtifactWriter& store) {
        static_cast<const T*>(artifact)->save(store);
      };
      type.load = [](const ArtifactReader& reader, const Items&) -> Value {
        return std::make_shared<const T>(T::load(reader));
      };
    }
    if constexpr (OnDemandSet<T>)
      type.on_demand = [](Items items, std::function<Value(std::size_t)> fetch,
                          const void* upstream) -> Value {
        return std::make_shared<const T>(T::on_demand(
            std::move(items),
            [fetch = std::move(fetch)](std::size_t i) {
              return *std::static_pointer_cast<const typename T::Item>(fetch(i));
            },
            *static_cast<const T*>(upstream)));
      };
    return type;
  }();
  return described;
}

}  // namespace contexton
