#!/bin/sh
# Makes a Debian package of the service in dist/: the installer, and the wheels of dist/MACHINE that it takes.
#
#   deploy/debian.sh [x86_64|aarch64]
#
# wheels.sh --with-dependencies comes first. The package brings no camera library: see docs/operations.md.
set -eu
cd "$(dirname "$0")/.."
MACHINE=${1:-$(uname -m)}
case $MACHINE in
    x86_64) ARCHITECTURE=amd64 ;;
    aarch64) ARCHITECTURE=arm64 ;;
    *) echo "debian.sh: found $MACHINE, expected x86_64 or aarch64" >&2; exit 2 ;;
esac
WHEEL=$(ls dist/"$MACHINE"/dambord-*_"$MACHINE".whl 2>/dev/null) ||
    { echo "debian.sh: found no wheel in dist/$MACHINE, expected what deploy/wheels.sh --with-dependencies makes" >&2; exit 1; }
VERSION=$(basename "$WHEEL" | cut -d- -f2)
PACKAGE=dambord_${VERSION}_$ARCHITECTURE
TREE=build/debian/$PACKAGE
SHARE=$TREE/usr/share/dambord

rm -rf "$TREE"
mkdir -p "$SHARE/wheels" "$TREE/DEBIAN" "$TREE/usr/share/doc/dambord"
cp -r deploy "$SHARE/deploy"
rm -f "$SHARE/deploy/wheels.sh" "$SHARE/deploy/debian.sh"
cp LICENSE "$TREE/usr/share/doc/dambord/copyright"
for file in dist/"$MACHINE"/*.whl; do
    case $(basename "$file") in
        numpy-* | opencv_* | lgpio-* | rpi_lgpio-*) ;;
        *) cp "$file" "$SHARE/wheels" ;;
    esac
done
cat >"$TREE/DEBIAN/control" <<EOF
Package: dambord
Version: $VERSION
Architecture: $ARCHITECTURE
Maintainer: Dambord maintainers <maintainers@dambord.invalid>
Section: games
Priority: optional
Depends: python3 (>= 3.11), python3-venv, passwd, procps
Recommends: mosquitto
Installed-Size: $(du -sk "$TREE" | cut -f1)
Description: draughts on a real wooden board
 A computer sees what is moved on a board with sensors or under a camera, answers, and keeps the record.
EOF
# Another Python needs another environment.
echo "interest-noawait /usr/bin/python3" >"$TREE/DEBIAN/triggers"
cat >"$TREE/DEBIAN/postinst" <<'EOF'
#!/bin/sh
set -e
case $1 in
    configure | triggered)
        # What reads pictures or pins, where it was asked for, is not in this package.
        [ -s /opt/dambord/extras ] && OFFLINE='' || OFFLINE=--offline
        /usr/share/dambord/deploy/install.sh $OFFLINE --from /usr/share/dambord/wheels
        ;;
esac
EOF
cat >"$TREE/DEBIAN/prerm" <<'EOF'
#!/bin/sh
set -e
[ "$1" != remove ] || /usr/share/dambord/deploy/install.sh --uninstall
EOF
chmod 755 "$TREE/DEBIAN/postinst" "$TREE/DEBIAN/prerm"
chmod -R u=rwX,go=rX "$TREE/usr"
# Wheels are packed already.
dpkg-deb -Znone --build --root-owner-group "$TREE" "dist/$PACKAGE.deb" >/dev/null
echo "dist/$PACKAGE.deb"
