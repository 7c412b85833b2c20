#!/bin/sh
# Installs Dambord on Raspberry Pi OS and Debian (bookworm, trixie), updates it, goes back, takes it off again.
#
#   sudo deploy/install.sh [--from WHEEL|FOLDER] [--offline] [--camera] [--gpio] [--with-broker] [--with-kiosk]
#   sudo /opt/dambord/install.sh --rollback      the version before
#   sudo /opt/dambord/install.sh --uninstall     everything but games and configuration
#
# --from     a wheel of Dambord, or a folder with it (and, for --offline, with all it needs); otherwise the newest wheel
#            in dist/ beside this script, or the sources it lies in, which takes a C compiler
# --offline  take everything from that folder, ask no package index
# --camera   with what reads pictures;  --gpio  with what reads the pins of a Raspberry Pi; both are remembered
#
# Run again it changes what is not as it should be and nothing else; with another version it is an update: the new one
# is set up beside the old one and tried, and the old one comes back by itself if the new one does not become ready.
set -eu

HOME_DIR=/opt/dambord
VERSIONS=$HOME_DIR/versions
CONFIG=/etc/dambord/station.toml
STATE=/var/lib/dambord
SERVICE=dambord.service
KEPT=3        # versions that stay, the one in use among them
STEADY_S=15   # how long a new version must stay up after it has become ready
STARTS=2      # how often it may try, when nobody watches
HERE=$(cd "$(dirname "$0")" && pwd)
FROM='' OFFLINE='' EXTRAS='' BROKER='' KIOSK='' DO=install

say() { echo "dambord: $*"; }
fail() { echo "dambord: $*" >&2; exit 1; }
runs_systemd() { [ -d /run/systemd/system ]; }

# put SOURCE TARGET MODE: as it should be, said only where it was not
put() {
    if cmp -s "$1" "$2"; then chmod "$3" "$2"; return 1; fi
    mkdir -p "$(dirname "$2")"
    cp "$1" "$2.new"
    chmod "$3" "$2.new"
    mv -f "$2.new" "$2"
    say "wrote $2"
}

# point NAME TARGET: a link that is moved in one step
point() {
    ln -sfn "$2" "$HOME_DIR/.$1.new"
    mv -fT "$HOME_DIR/.$1.new" "$HOME_DIR/$1"
    sync -f "$HOME_DIR"
}

packages() {
    missing=''
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    say "installing$missing"
    # shellcheck disable=SC2086
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } \
        >/dev/null || fail "apt-get could not install$missing: is this machine on the network? Then run this again."
}

user() { # NAME HOME
    getent group "$1" >/dev/null || { groupadd --system "$1"; say "made group $1"; }
    getent passwd "$1" >/dev/null || {
        useradd --system --gid "$1" --home-dir "$2" --no-create-home --shell /usr/sbin/nologin "$1"
        say "made user $1"
    }
    for group in dialout plugdev gpio video render; do
        if getent group "$group" >/dev/null && ! id -nG "$1" | tr ' ' '\n' | grep -qx "$group"; then
            usermod -aG "$group" "$1"
            say "put user $1 into group $group"
        fi
    done
}

# --- versions: each an environment of its own, with all it needs --------------------------------------------------

find_wheel() { # sets WHEEL, the newest there is, or empties it
    WHEEL=''
    for place in ${FROM:+"$FROM"} ${FROM:-"$HERE" "$HERE/../dist"}; do
        [ -f "$place" ] && WHEEL=$place && return
        [ -n "$WHEEL" ] || WHEEL=$(ls -t "$place"/dambord-*-"$(uname -s | tr '[:upper:]' '[:lower:]')"_"$(uname -m)".whl \
            "$place"/dambord-*_"$(uname -m)".whl 2>/dev/null | head -n 1)
    done
}

build_wheel() { # from the sources beside this script
    [ -f "$HERE/../pyproject.toml" ] || fail "found no wheel of dambord for $(uname -m), expected --from WHEEL or FOLDER"
    [ -z "$OFFLINE" ] || fail "--offline: found no wheel of dambord for $(uname -m) in ${FROM:-$HERE}"
    packages gcc libc6-dev python3-dev
    say "building from $(dirname "$HERE"): this takes some minutes; a wheel takes none (docs/operations.md)"
    python3 -m venv "$HOME_DIR/build"
    "$HOME_DIR/build/bin/pip" wheel -q --no-deps -w "$HOME_DIR/build/wheel" "$HERE/.."
    WHEEL=$(ls "$HOME_DIR/build/wheel"/dambord-*.whl)
}

make_version() { # sets VERSION
    find_wheel
    [ -n "$WHEEL" ] || build_wheel
    # shellcheck disable=SC2046,SC2086
    EXTRAS=$(echo $(cat "$HOME_DIR/extras" 2>/dev/null) $EXTRAS | tr ' ' '\n' | sort -u | paste -sd ,)
    name=$(basename "$WHEEL" | cut -d- -f2)
    case $EXTRAS in *vision*) packages libstdc++6 ;; esac
    # Another Python, as after the next Debian, needs another environment.
    VERSION=$name-$(printf '%s %s %s' "$(sha256sum <"$WHEEL")" "$EXTRAS" "$(python3 -V)" | sha256sum | cut -c1-8)
    target=$VERSIONS/$VERSION
    if [ -e "$target/complete" ]; then say "version $VERSION is there"; return; fi
    say "setting up version $VERSION"
    rm -rf "$target"
    python3 -m venv "$target"
    # Heavy libraries come built, or not at all: a small machine is not to compile for an hour.
    set -- --find-links "$(dirname "$WHEEL")"
    [ -z "$OFFLINE" ] || set -- --no-index "$@"
    if ! "$target/bin/pip" install -q --no-cache-dir --disable-pip-version-check --only-binary :all: "$@" "$WHEEL${EXTRAS:+[$EXTRAS]}"
    then
        rm -rf "$target"
        fail "pip could not install $(basename "$WHEEL") ${EXTRAS:+with $EXTRAS }(above: why). Nothing was changed; what ran is running."
    fi
    "$target/bin/dambord" perft --variant russian --depth 4 --json >/dev/null ||
        { rm -rf "$target"; fail "version $VERSION does not run on this machine (above: why). Nothing was changed."; }
    touch "$target/complete"
    rm -rf "$HOME_DIR/build"
    sync -f "$target"
}

faults() { # what a version's doctor finds wrong, a line each
    runuser -u dambord -- "$1/bin/dambord" doctor --config "$CONFIG" --seconds 2 --json 2>/dev/null |
        python3 -c 'import json, sys
for found in json.load(sys.stdin)["findings"]:
    if found["fault"]: print(found["part"], found["name"], found["fault"])' 2>/dev/null | sort || echo "doctor failed"
}

becomes_ready() { # starts the service; whether it is up, and stays so
    systemctl reset-failed $SERVICE 2>/dev/null || true
    systemctl restart $SERVICE || return 1
    before=$(systemctl show -p NRestarts --value $SERVICE)
    for _ in $(seq $STEADY_S); do
        sleep 1
        systemctl is-active -q $SERVICE || return 1
    done
    [ "$(systemctl show -p NRestarts --value $SERVICE)" = "$before" ]
}

take_into_use() { # VERSION: tried first, and given up if it does not become ready
    new=$VERSIONS/$1
    old=$(readlink "$HOME_DIR/current" 2>/dev/null || true)
    "$new/bin/dambord" check-config --without-devices "$CONFIG" >/dev/null ||
        fail "version $1 does not take $CONFIG (above: why). Nothing was changed; what ran is running."
    if ! runs_systemd; then point current "versions/$1"; say "version $1 is in use (no systemd runs here)"; return; fi
    if [ "$old" = "versions/$1" ]; then
        systemctl is-active -q $SERVICE || becomes_ready || fail "the service does not start: journalctl -u dambord"
        return
    fi
    if [ -n "$old" ]; then
        systemctl stop $SERVICE
        faults "$HOME_DIR/$old" >"$HOME_DIR/faults.old"
        faults "$new" >"$HOME_DIR/faults.new"
        worse=$(comm -13 "$HOME_DIR/faults.old" "$HOME_DIR/faults.new" | paste -sd ';')
        if [ -n "$worse" ]; then
            systemctl start $SERVICE
            fail "version $1 finds wrong what the version in use does not: $worse. The version in use goes on."
        fi
        point previous "$old"
        echo 0 >"$HOME_DIR/unproven"   # until it is ready, starts are counted: also after a power cut
    fi
    point current "versions/$1"
    if becomes_ready; then
        say "version $1 is in use"
        return
    fi
    journalctl -u dambord -n 5 --no-pager -o cat >&2 || true
    [ -n "$old" ] || fail "the service does not start: journalctl -u dambord"
    rm -f "$HOME_DIR/unproven"
    [ "$(readlink "$HOME_DIR/current")" = "$old" ] || point current "$old"
    systemctl reset-failed $SERVICE 2>/dev/null || true
    systemctl restart $SERVICE || fail "version $1 did not become ready, and the version before does not start either"
    fail "version $1 did not become ready (above: what it said). The version before is in use again."
}

roll_back() {
    old=$(readlink "$HOME_DIR/previous" 2>/dev/null || true)
    [ -n "$old" ] && [ -e "$HOME_DIR/$old/complete" ] || fail "found no version before this one, expected $HOME_DIR/previous"
    point previous "$(readlink "$HOME_DIR/current")"
    point current "$old"
    rm -f "$HOME_DIR/unproven"
    systemctl reset-failed $SERVICE 2>/dev/null || true
    systemctl --no-block restart $SERVICE
    say "went back to ${old#versions/}; run this again to change your mind"
}

count_start() { # before each start, by the service: a version that has had its tries makes room for the one before
    [ -e "$HOME_DIR/unproven" ] || return 0
    tries=$(cat "$HOME_DIR/unproven")
    if [ "${tries:-0}" -ge $STARTS ]; then
        point current "$(readlink "$HOME_DIR/previous")"
        rm -f "$HOME_DIR/unproven"
        say "the new version did not become ready: went back to $(readlink "$HOME_DIR/current")"
    else
        echo $((${tries:-0} + 1)) >"$HOME_DIR/unproven"
    fi
    sync -f "$HOME_DIR"
}

prune() { # the versions that are neither in use nor just before
    ls -t "$VERSIONS" | while read -r version; do
        case "versions/$version" in
            "$(readlink "$HOME_DIR/current")" | "$(readlink "$HOME_DIR/previous" 2>/dev/null)") ;;
            *) echo "$version" ;;
        esac
    done | tail -n +$((KEPT - 1)) | while read -r version; do
        rm -rf "${VERSIONS:?}/$version"
        say "took off version $version"
    done
}

# --- the whole ----------------------------------------------------------------------------------------------------

install() {
    packages python3 python3-venv
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        fail "found $(python3 --version), expected Python 3.11 or later (Raspberry Pi OS bookworm, trixie)"
    mkdir -p "$VERSIONS"
    user dambord $STATE
    install_folders
    make_version
    for file in install.sh dambord.service 60-dambord.rules journald.conf home.toml station.toml \
        mosquitto/table.conf dambord-kiosk.service; do
        [ "$HERE" = "$HOME_DIR" ] || put "$HERE/$file" "$HOME_DIR/$file" "$([ $file = install.sh ] && echo 755 || echo 644)" || true
    done
    ln -sfn $HOME_DIR/current/bin/dambord /usr/local/bin/dambord
    reload=''
    put "$HERE/dambord.service" /etc/systemd/system/dambord.service 644 && reload=1
    put "$HERE/journald.conf" /etc/systemd/journald.conf.d/dambord.conf 644 || true
    if put "$HERE/60-dambord.rules" /etc/udev/rules.d/60-dambord.rules 644 && [ -S /run/udev/control ]; then
        udevadm control --reload && udevadm trigger --subsystem-match=tty
    fi
    [ -z "$BROKER" ] || with_broker
    [ -z "$KIOSK" ] || with_kiosk
    if runs_systemd; then
        [ -z "$reload" ] || systemctl daemon-reload
        systemctl is-enabled -q $SERVICE 2>/dev/null || { systemctl enable -q $SERVICE; say "starts with the machine"; }
    else
        systemctl enable -q $SERVICE 2>/dev/null || true
    fi
    take_into_use "$VERSION"
    [ -z "$EXTRAS" ] || echo "$EXTRAS" | tr , ' ' >"$HOME_DIR/extras"
    prune
    say "next: put your board's port into $CONFIG (ls /dev/dambord), then: dambord doctor; sudo systemctl restart dambord"
}

install_folders() {
    mkdir -p $STATE /etc/dambord
    [ "$(stat -c %U $STATE)" = dambord ] || { chown -R dambord:dambord $STATE; say "gave $STATE to user dambord"; }
    chown dambord:dambord /etc/dambord
    chmod 750 $STATE /etc/dambord
    if [ ! -e $CONFIG ]; then
        put "$HERE/home.toml" $CONFIG 640 || true
        chown dambord:dambord $CONFIG
    fi
}

with_broker() {
    packages mosquitto
    if put "$HERE/mosquitto/table.conf" /etc/mosquitto/conf.d/dambord.conf 644 && runs_systemd; then
        systemctl enable -q mosquitto && systemctl restart mosquitto
    fi
    grep -q '^\[mqtt\]' $CONFIG || { printf '\n[mqtt]\nhost = "127.0.0.1"\n' >>$CONFIG; say "wrote [mqtt] into $CONFIG"; }
}

with_kiosk() {
    packages cage chromium
    user dambord-kiosk /run/dambord-kiosk
    if put "$HERE/dambord-kiosk.service" /etc/systemd/system/dambord-kiosk.service 644 && runs_systemd; then
        systemctl daemon-reload
    fi
    systemctl enable -q dambord-kiosk.service
    say "the page comes onto the screen at the next start of the machine"
}

uninstall() {
    for unit in dambord-kiosk dambord; do
        if [ -e /etc/systemd/system/$unit.service ]; then
            systemctl disable -q --now $unit.service 2>/dev/null || true
            rm -f /etc/systemd/system/$unit.service
        fi
    done
    runs_systemd && systemctl daemon-reload
    rm -rf $HOME_DIR /usr/local/bin/dambord /etc/udev/rules.d/60-dambord.rules /etc/systemd/journald.conf.d/dambord.conf
    if [ -e /etc/mosquitto/conf.d/dambord.conf ]; then
        rm -f /etc/mosquitto/conf.d/dambord.conf
        ! runs_systemd || systemctl try-restart mosquitto
    fi
    say "taken off. Games and configuration stay: $STATE, /etc/dambord, and user dambord, whose they are."
    say "to be rid of them too: sudo rm -r $STATE /etc/dambord; sudo userdel dambord"
}

while [ $# -gt 0 ]; do
    case $1 in
        --from) [ $# -gt 1 ] || fail "--from: expected a wheel or a folder"; FROM=$2; shift ;;
        --offline) OFFLINE=1 ;;
        --camera) EXTRAS="$EXTRAS vision" ;;
        --gpio) EXTRAS="$EXTRAS pi5" ;;
        --with-broker) BROKER=1 ;;
        --with-kiosk) KIOSK=1 ;;
        --rollback) DO=roll_back ;;
        --uninstall) DO=uninstall ;;
        --count-start) DO=count_start ;;
        -h | --help) sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) fail "found $1, expected one of --from --offline --camera --gpio --with-broker --with-kiosk --rollback --uninstall" ;;
    esac
    shift
done
[ -z "$FROM" ] || [ -e "$FROM" ] || fail "--from $FROM: no such file or folder"
[ "$(id -u)" = 0 ] || fail "found user $(id -un), expected root: sudo $0 ..."
$DO
