//===- TableTest.cpp - numbers and names for people -----------------------===//

#include "../../../tools/torchprof-report/Report/Table.h"
#include "../../../tools/torchprof-report/Report/PrintTable.h"

#include "gtest/gtest.h"

using namespace torchprof::report;

namespace {

TEST(Table, TimesHaveUnits) {
  EXPECT_EQ(formatTime(0), "0 ns");
  EXPECT_EQ(formatTime(999), "999 ns");
  EXPECT_EQ(formatTime(1000), "1.000 us");
  EXPECT_EQ(formatTime(999999.4), "999.999 us");
  EXPECT_EQ(formatTime(999999.9), "1.000 ms");
  EXPECT_EQ(formatTime(1.5e9), "1.500 s");
  EXPECT_EQ(formatTime(-2500), "-2.500 us");
  EXPECT_EQ(formatTime(2500, TimeUnit::Ms), "0.003 ms");
  EXPECT_EQ(formatTime(-0.1), "0 ns");
}

TEST(Table, MachinesGetExactNumbers) {
  EXPECT_EQ(exactValue(Value::timeNs(123456789012), {}), "123456789012");
  EXPECT_EQ(exactValue(Value::timeNs(1.25), {}), "1.2");
  EXPECT_EQ(exactValue(Value::count(UINT64_MAX), {}), "18446744073709551615");
  EXPECT_EQ(exactValue(Value::percent(100.0 / 3), {}), "33.3333");
  EXPECT_EQ(exactValue(Value(), {}), "");
  EXPECT_EQ(exactValue(Value::number(ValueType::Number, 1.25e-7),
                       TableColumn::number("p", "p", 4)),
            "1.25e-07");
  EXPECT_EQ(formatValue(Value::number(ValueType::Number, 1.25e-7),
                        TableColumn::number("p", "p", 4), TimeUnit::Auto),
            "0.0000");
}

TEST(Table, BytesHaveUnits) {
  EXPECT_EQ(formatBytes(0), "0 B");
  EXPECT_EQ(formatBytes(1023), "1023 B");
  EXPECT_EQ(formatBytes(1536), "1.5 KiB");
  EXPECT_EQ(formatBytes(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(formatBytes(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(formatValue(Value::bytes(3 << 20), {}, TimeUnit::Auto), "3.0 MiB");
  EXPECT_EQ(exactValue(Value::bytes(1536), {}), "1536");
}

TEST(Table, ColumnsForMachinesAreNotForPeople) {
  Table T;
  T.Columns = {TableColumn::text("a", "a"), TableColumn::text("b", "b"),
               TableColumn::text("c", "c")};
  T.Columns[1].ForMachines = true;
  T.Rows.push_back({Value::text("1"), Value::text("2"), Value::text("3")});
  auto Print = [&](TableFormat Format) {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    PrintOptions Options;
    Options.Format = Format;
    printDocument({{T}}, Options, OS);
    return OS.str();
  };
  EXPECT_EQ(Print(TableFormat::Table), "a  c\n-  -\n1  3\n");
  EXPECT_EQ(Print(TableFormat::Csv), "a,b,c\n1,2,3\n");
  EXPECT_EQ(Print(TableFormat::Markdown).find('2'), std::string::npos);
}

TEST(Table, PathsKeepTheirEnds) {
  EXPECT_EQ(shortened("encoder.layers.11.attention", 100, Shorten::KeepEnd),
            "encoder.layers.11.attention");
  EXPECT_EQ(shortened("encoder.layers.11.attention", 16, Shorten::KeepEnd),
            "..11.attention");
  EXPECT_EQ(shortened("encoder.layers.11.attention", 14, Shorten::KeepEnd),
            "..11.attention");
  EXPECT_EQ(shortened("torchvision::roi_align", 10, Shorten::KeepStart),
            "torchvis..");
  EXPECT_EQ(shortened("abc", 1, Shorten::Never), "abc");
  // A character may be of several bytes, and of two columns.
  EXPECT_EQ(shortened("größe", 5, Shorten::KeepStart), "größe");
  EXPECT_EQ(shortened("größenänderung", 6, Shorten::KeepStart), "größ..");
  EXPECT_EQ(shortened("größenänderung", 8, Shorten::KeepEnd), "..derung");
  EXPECT_EQ(shortened("größenänderung", 9, Shorten::KeepEnd), "..nderung");
  EXPECT_EQ(shortened("größenänderung", 10, Shorten::KeepEnd), "..änderung");
  EXPECT_EQ(shortened("注意力层", 8, Shorten::KeepEnd), "注意力层");
  EXPECT_EQ(shortened("注意力层", 7, Shorten::KeepStart), "注意..");
  EXPECT_EQ(shortened("注意力层", 7, Shorten::KeepEnd), "..力层");
}

// The module path of a method that is called through thousands of instances of
// an interface is that long. Counting the rest of it again for each character
// that goes would not end here.
TEST(Table, VeryLongPathsAreShortened) {
  std::string Long(1 << 20, 'x');
  EXPECT_EQ(shortened(Long, 14, Shorten::KeepEnd), "..xxxxxxxxxxxx");
  EXPECT_EQ(shortened(Long + ".attention", 14, Shorten::KeepEnd),
            "..attention");
  EXPECT_EQ(shortened(Long + ".änderung", 14, Shorten::KeepEnd), "..änderung");
  EXPECT_EQ(shortened(Long, 6, Shorten::KeepStart), "xxxx..");
}

TEST(Table, NarrowTablesFit) {
  Table T;
  T.Columns = {TableColumn::text("module", "module"),
               TableColumn::time("total_ns", "total"),
               TableColumn::time("mean_ns", "mean")};
  T.Columns[2].MayDrop = true;
  T.Rows.push_back({Value::text("a.very.long.module.path.to.shorten"),
                    Value::timeNs(1234567), Value::timeNs(1234567)});
  PrintOptions Options;
  Options.Width = 26;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printTextTable(T, Options, OS);
  EXPECT_EQ(OS.str(), "module           total\n"
                      "------------  --------\n"
                      "..to.shorten  1.235 ms\n"
                      "mean left out to fit 26 columns; --width=0 shows all\n");
}

} // namespace
