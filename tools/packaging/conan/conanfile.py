"""Conan 2's recipe. It packages the checkout that it lies in:

    conan create tools/packaging/conan -s compiler.cppstd=20 --build=missing
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd, stdcpp_library
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.system.package_manager import Apt

required_conan_version = ">=2.4"
checkout = os.path.join("..", "..", "..")


class GauzeConan(ConanFile):
    name = "gauze"
    description = "Image and signal filtering on any OpenCL device"
    license = "Apache-2.0"
    topics = ("image-processing", "signal-processing", "opencl", "gpu")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "command": [True, False],
        # Take OpenCL, and what the command needs, from the system and not from Conan's packages.
        "system_libraries": [True, False],
    }
    default_options = {"shared": False, "fPIC": True, "command": False, "system_libraries": False}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, checkout, "CMakeLists.txt"))
        self.version = re.search(r"project\(gauze VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cl/*", "cmake/*", "docs/*.in", "runtime/*", "tools/*"):
            copy(self, pattern, os.path.join(self.recipe_folder, checkout), self.export_sources_folder,
                 excludes="tools/packaging/*")

    def layout(self):
        self.folders.root = checkout
        cmake_layout(self)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Gauze was built on Linux only")
        check_min_cppstd(self, 20)

    def requirements(self):
        if self.options.system_libraries:
            return
        # The loader is shared: it finds the drivers of the machine that the program runs on.
        self.requires("opencl-icd-loader/2023.12.14", options={"shared": True})
        self.requires("opencl-clhpp-headers/2023.12.14")
        if self.options.command:
            self.requires("libpng/[>=1.6 <2]")
            self.requires("cli11/[>=2.1 <3]")
            self.requires("nlohmann_json/[>=3.9 <4]")

    def system_requirements(self):
        if self.options.system_libraries:
            packages = ["ocl-icd-opencl-dev", "opencl-clhpp-headers"]
            if self.options.command:
                packages += ["libpng-dev", "libcli11-dev", "nlohmann-json3-dev"]
            Apt(self).install(packages, check=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.cache_variables["GAUZE_TESTS"] = False
        toolchain.cache_variables["GAUZE_TOOLS"] = bool(self.options.command)
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # Conan makes its own of package_info().
        for folder in ("cmake", "pkgconfig"):
            rmdir(self, os.path.join(self.package_folder, "lib", folder))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.libs = ["gauze"]
        self.cpp_info.set_property("cmake_config_version_compat", "SameMinorVersion")
        if not self.options.system_libraries:
            self.cpp_info.requires = ["opencl-icd-loader::opencl-icd-loader", "opencl-clhpp-headers::opencl-clhpp-headers"]
            if self.options.command:
                self.cpp_info.requires += ["libpng::libpng", "cli11::cli11", "nlohmann_json::nlohmann_json"]
        if not self.options.shared:
            self.cpp_info.defines = ["GAUZE_STATIC"]
            # Programs in C need the library of C++ too.
            self.cpp_info.system_libs = ["dl", "m", "pthread", stdcpp_library(self)]
            if self.options.system_libraries:
                self.cpp_info.system_libs.append("OpenCL")
