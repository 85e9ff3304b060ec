# SPDX-License-Identifier: GPL-2.0-or-later
# For fetch-kernel and fetch-root, which source it: an apt of our own, with lists and settings below
# the cache, but against the mirror that the machine uses and with its archive keys. The machine's own
# apt is not touched and nothing is installed. The caller has `set -euo pipefail` and a function `fail`.
cache=${SONDE_VMCACHE:-$HOME/.cache/sonde-vm}

# own_apt SUITE ARCH: makes it. Afterwards $apt is its folder, with packages in $apt/archives;
# apt_get ARGUMENT... and apt_show PACKAGE... use it.
own_apt() {
	local suite=$1 arch=$2 mirror security
	mirror=$(apt_addresses | grep -E '/debian/?$' | sed -n 1p || true)
	security=$(apt_addresses | grep -E '/debian-security/?$' | sed -n 1p || true)
	[ -n "$mirror" ] || fail "no Debian mirror in /etc/apt"
	case $suite in *-security) mirror=${security:-${mirror%/}-security} ;; esac
	apt=$cache/apt/$suite-$arch
	mkdir -p "$apt"/{lists/partial,archives/partial,parts,preferences}
	: >"$apt/status"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg arch=$arch] $mirror $suite main" >"$apt/sources.list"
	apt_settings "$arch" >"$apt/apt.conf"
	if [ -n "${refresh:-}" ] || [ -z "$(find "$apt/lists" -name '*Packages*' -mmin -1440 -print -quit)" ]; then
		apt_get update
	fi
}
# The addresses of the machine's own sources, in order.
apt_addresses() {
	cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list /etc/apt/sources.list 2>/dev/null |
		sed -nE 's/^(URIs:[[:space:]]*|deb[[:space:]]+(\[[^]]*\][[:space:]]*)?)([^[:space:]]+).*/\3/p'
}
apt_settings() {
	cat <<-END
	Dir::Etc::sourcelist "$apt/sources.list";
	Dir::Etc::sourceparts "$apt/parts";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "$apt/preferences";
	Dir::State::lists "$apt/lists";
	Dir::State::status "$apt/status";
	Dir::Cache "$apt";
	Dir::Cache::archives "$apt/archives";
	APT::Architecture "$1";
	#clear APT::Architectures;
	APT::Architectures "$1";
	APT::Sandbox::User "root";
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
	Acquire::Languages "none";
	Acquire::Check-Valid-Until "false";
	Debug::NoLocking "true";
	END
}
apt_get() { APT_CONFIG=$apt/apt.conf apt-get -q "$@" >&2; }
apt_show() { APT_CONFIG=$apt/apt.conf apt-cache show "$@" 2>/dev/null || true; }
