"""Builds the programs of host_tests/consumer against the package and runs them."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class TestGauzeConan(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps", "CMakeToolchain"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=os.path.join("..", "..", "..", "..", "host_tests", "consumer"))
        cmake.build()

    def test(self):
        if can_run(self):
            for program in ("consumer_c", "consumer_cpp"):
                self.run(os.path.join(self.cpp.build.bindir, program), env="conanrun")
