#!/usr/bin/env python3
"""Tests that check_rooms.py reports includes outside the map and accepts includes inside the map."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_rooms.py")
MAP = """
set(ROOM_base    "")
set(ROOM_core    base)
set(ROOM_journal base)
set(ROOM_sim     base core journal)
set(ROOM_sdk     base)
"""


class CheckRooms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("cmake/Rooms.cmake", MAP)

    def write(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self):
        run = subprocess.run([sys.executable, CHECK, self.folder.name],
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stdout.strip().splitlines()

    def assert_clean(self, name, text):
        self.write(name, text)
        self.assertEqual(self.check(), (0, ["every include is a drawn edge"]))

    def assert_stray(self, name, text, line):
        self.write(name, text)
        self.assertEqual(self.check(), (1, [line]))

    def test_a_drawn_edge_is_no_stray(self):
        self.assert_clean("src/core/apply.cc", '#include "base/time.h"\n#include <vector>\n')

    def test_a_stray_include_is_named_with_file_and_line(self):
        self.assert_stray("src/base/time.cc", '// Time.\n#include "core/core.h"\n',
                          "src/base/time.cc:2: base looks into core")

    def test_spaces_do_not_hide_an_include(self):
        self.assert_stray("src/core/apply.h", '  #  include  "journal/journal.h"\n',
                          "src/core/apply.h:1: core looks into journal")

    def test_siblings_inside_core_do_not_see_each_other(self):
        self.assert_stray("src/core/broker/broker.h", '#include "core/registry/registry.h"\n',
                          "src/core/broker/broker.h:1: "
                          "core/broker looks into its sibling core/registry")

    def test_a_sibling_sees_itself_and_what_all_share(self):
        self.assert_clean("src/core/broker/broker.cc",
                          '#include "core/broker/broker.h"\n#include "core/handles.h"\n')

    def test_the_sdk_is_a_room(self):
        self.assert_stray("sdk/cpp/client.cc", '#include "sdk/cpp/client.h"\n'
                          '#include "core/core.h"\n', "sdk/cpp/client.cc:2: sdk looks into core")

    def test_nobody_but_app_sees_the_simulator(self):
        self.assert_stray("src/core/core.cc", '#include "sim/world.h"\n',
                          "src/core/core.cc:1: core looks into sim")

    def test_the_simulator_may_use_the_disk_of_the_tests(self):
        self.assert_clean("sim/world.cc", '#include "journal/testing/memory_disk.h"\n')

    def test_the_program_may_not_use_helpers_of_tests(self):
        self.assert_stray("src/journal/journal.cc", '#include "journal/testing/memory_disk.h"\n',
                          "src/journal/journal.cc:1: "
                          "journal uses journal/testing/memory_disk.h, which is for tests")


if __name__ == "__main__":
    unittest.main()
