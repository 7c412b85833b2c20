"""The command `dambord`: reads arguments, calls what does the work, turns faults into one sentence and an exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from engine.errors import IllegalMoveError, NotationError, RulesetError, TooManyCapturesError
from station.errors import ConfigError, JournalError
from station.runtime.version import PROGRAM

BAD_USAGE = 2
"""Exit code for bad usage or bad configuration; 1 means that what was asked for was found wrong."""

SIMULATED = ("matrix", "dgt", "dgt-bus", "millennium", "certabo", "gpio-matrix")
"""Drivers for whose boards there is a simulated one."""

FIRMWARES = ("avr", "micropython")
"""Firmwares that run as programs above simulated hardware."""

Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code."""
    options = _parser().parse_args(arguments)
    command: Command = options.command
    try:
        return command(options)
    except (
        ConfigError,
        JournalError,
        RulesetError,
        NotationError,
        IllegalMoveError,
        TooManyCapturesError,
    ) as error:
        return _complain(str(error))
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing more can be said there.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _complain(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except KeyboardInterrupt:
        return 130


def _complain(sentence: str) -> int:
    print(f"dambord: {sentence}", file=sys.stderr)
    return BAD_USAGE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dambord", description="Draughts on a real wooden board.")
    parser.add_argument("--version", action="version", version=PROGRAM)
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_running(commands)
    _add_caring(commands)
    _add_calibrate(commands)
    _add_game(commands)
    _add_measuring(commands)
    _add_seeing(commands)
    _add_match(commands)
    _add_endings(commands)
    return parser


if TYPE_CHECKING:
    _Commands = argparse._SubParsersAction[argparse.ArgumentParser]


def _add(commands: _Commands, name: str, command: Command, summary: str, example: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary,
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(command=command)
    return parser


def _add_running(commands: _Commands) -> None:
    demo = _add(commands, "demo", _demo, "A whole station on simulated boards.", "dambord demo --variant russian")
    demo.add_argument("--variant", default="international", help="rules to play by (default: %(default)s)")
    demo.add_argument("--boards", type=int, default=1, help="how many boards (default: %(default)s)")
    demo.add_argument("--driver", choices=SIMULATED, default="matrix", help="kind of simulated board")
    demo.add_argument("--host", default="127.0.0.1", help="address of the page (default: %(default)s)")
    demo.add_argument("--port", type=int, default=None, help="port of the page (default: 8080, or a free one)")
    demo.add_argument("--mqtt", metavar="HOST:PORT", help="also publish to this broker")
    demo.add_argument("--data", help="keep journals in this folder (default: one that is thrown away)")
    demo.add_argument("--arm", action="store_true", help="a simulated arm makes the engine's moves")
    demo.add_argument("--camera", action="store_true", help="a simulated camera (not in this version)")
    run = _add(commands, "run", _run, "The service on real boards.", "dambord run --config station.toml")
    run.add_argument("--config", default="/etc/dambord/station.toml", help="configuration (default: %(default)s)")
    club = _add(
        commands,
        "club",
        _club,
        "The wall of all boards on a broker, and the archive of their games.",
        "dambord club --broker 127.0.0.1:1883",
    )
    club.add_argument("--config", help="configuration (default: /etc/dambord/club.toml, where there is one)")
    club.add_argument("--broker", metavar="HOST:PORT", help="the broker, whatever the configuration says")
    club.add_argument("--data", metavar="FOLDER", help="keep the archive in this folder")
    club.add_argument("--host", help="address of the pages (default: 127.0.0.1; 0.0.0.0 shows them to the network)")
    club.add_argument("--port", type=int, help="port of the pages (default: 8080)")
    check = _add(
        commands, "check-config", _check, "Say what is wrong with a configuration.", "dambord check-config station.toml"
    )
    check.add_argument("file", help="configuration to check")
    check.add_argument(
        "--without-devices", action="store_true", help="what is not plugged in now is no fault (for an update)"
    )
    _json(check)


def _add_caring(commands: _Commands) -> None:
    usual = "configuration (default: /etc/dambord/station.toml, where there is one)"
    doctor = _add(
        commands,
        "doctor",
        _doctor,
        "Say of boards, pins, ports and broker whether they work, and what to do where not.",
        "dambord doctor --config station.toml",
    )
    doctor.add_argument("--config", help=usual)
    doctor.add_argument(
        "--seconds", type=float, default=4.0, metavar="S", help="watch each board for so long (default: %(default)s)"
    )
    _json(doctor)

    report = _add(
        commands,
        "report",
        _report,
        "One file to attach to an issue: versions, devices, sensors, journals, log; no passwords, PINs or addresses.",
        "dambord report --config station.toml --output report.zip",
    )
    report.add_argument("--output", metavar="FILE", help="where to (default: dambord-report-....zip here)")
    backup = _add(
        commands,
        "backup",
        _backup,
        "One file with all games, what is known of boards, and the configuration; a station may be running.",
        "dambord backup --config station.toml games.tar.gz",
    )
    backup.add_argument("output", metavar="FILE", help="a new file; unpack it with tar")
    for command in (report, backup):
        command.add_argument(
            "--config", default="/etc/dambord/station.toml", help="configuration (default: %(default)s)"
        )


def _add_calibrate(commands: _Commands) -> None:
    calibrate = _add(
        commands,
        "calibrate",
        _no_calibrate_command,
        "Learn a board, guided, in two minutes.",
        "dambord calibrate board --config station.toml",
    )
    inner = calibrate.add_subparsers(title="commands", required=True, metavar="COMMAND")
    board = _add(
        inner,
        "board",
        _calibrate_board,
        "Walk over the squares: how the board lies, its colours, its magnets, its dead squares.",
        "dambord calibrate board --config station.toml --board table-1",
    )
    camera = _add(
        inner,
        "camera",
        _calibrate_camera,
        "Show a camera its board: aim, empty board, start position, a hand.",
        "dambord calibrate camera --config station.toml --board table-1",
    )
    arm = _add(
        inner,
        "arm",
        _calibrate_arm,
        "Bring an arm's tool to the board's corners: where the board lies, its tray, its heights; then try it.",
        "dambord calibrate arm --config station.toml --board table-1",
    )
    arm.add_argument("--nine", action="store_true", help="touch nine places, for an arm that bends")
    for command in (board, camera, arm):
        command.add_argument(
            "--config", default="/etc/dambord/station.toml", help="configuration (default: %(default)s)"
        )
        command.add_argument("--board", metavar="ID", help="which board, where the configuration has several")
    camera.add_argument(
        "--corners", metavar="X,Y,...", help="the playing area's corners in pixels, clockwise, for a board not found"
    )


def _add_game(commands: _Commands) -> None:
    variants = _add(commands, "variants", _variants, "The rule sets known.", "dambord variants --json")
    _json(variants)
    moves = _add(
        commands, "moves", _moves, "Legal moves of a position.", 'dambord moves --variant russian --fen "W:Wc3:Bd4,f6"'
    )
    _position(moves)
    _json(moves)
    perft = _add(commands, "perft", _perft, "Count positions to a depth.", "dambord perft --variant russian --depth 5")
    _position(perft)
    perft.add_argument("--depth", type=int, required=True, help="how many moves deep")
    perft.add_argument("--divide", action="store_true", help="the count below each first move")
    perft.add_argument("--king-limit", action="store_true", help="with the limit on moves of one king (Frisian)")
    perft.add_argument("--reference", action="store_true", help="by the readable generator, not the compiled one")
    _json(perft)
    analyse = _add(
        commands,
        "analyse",
        _analyse,
        "What the engine thinks of a position, deeper and deeper.",
        "dambord analyse --variant russian --seconds 3",
    )
    _position(analyse)
    analyse.add_argument("--seconds", type=float, metavar="S", help="for so long (default: 5, if no other limit)")
    analyse.add_argument("--depth", type=int, metavar="N", help="so many plies ahead")
    analyse.add_argument("--nodes", type=int, metavar="N", help="so many positions")
    analyse.add_argument("--threads", type=int, default=1, metavar="T", help="on so many cores (default: 1)")
    analyse.add_argument("--hash-size", type=int, default=64, metavar="MB", help="memory (default: %(default)s)")
    analyse.add_argument("--endings", metavar="FOLDER", help="endgame tables (default: those of `dambord endings`)")
    _json(analyse)
    explain = _add(
        commands,
        "explain",
        _explain,
        "Why a move is not legal, or how the game stands.",
        'dambord explain --variant russian --fen "W:Wc3:Bd4" c3 b4',
    )
    _position(explain)
    explain.add_argument(
        "squares",
        nargs="*",
        metavar="SQUARE",
        help="start and every square the piece goes to; none: how the game stands",
    )
    explain.add_argument("--language", default="en", help="language of the sentence (default: %(default)s)")
    _json(explain)
    diagram = _add(
        commands, "diagram", _diagram, "Draw a position.", "dambord diagram --variant russian --png start.png"
    )
    _position(diagram)
    diagram.add_argument("--svg", metavar="FILE", help="write it as SVG (-: standard output) instead of characters")
    diagram.add_argument("--png", metavar="FILE", help="write it as PNG; needs the extra `pictures`")
    diagram.add_argument("--width", type=int, default=800, help="pixels across, for --png (default: %(default)s)")
    diagram.add_argument("--move", metavar="MOVE", help="show this move with an arrow, what it takes crossed out")
    diagram.add_argument("--flip", action="store_true", help="as Black sees the board")
    diagram.add_argument("--numbers", action="store_true", help="write each square's number or name into it")
    diagram.add_argument("--plain", action="store_true", help="characters of ASCII only: w b, kings W B")
    pdn = _add(commands, "pdn", _no_pdn_command, "Check and convert PDN files.", "dambord pdn check games.pdn --json")
    inner = pdn.add_subparsers(title="commands", required=True, metavar="COMMAND")
    check = _add(inner, "check", _pdn_check, "Read PDN files and name what is wrong.", "dambord pdn check games.pdn")
    check.add_argument("files", nargs="+", metavar="FILE")
    check.add_argument("--variant", default=None, help="rules where the file states none (default: international)")
    _json(check)
    convert = _add(inner, "convert", _pdn_convert, "Write canonical PDN 3.0.", "dambord pdn convert in.pdn out.pdn")
    convert.add_argument("source", metavar="IN")
    convert.add_argument("target", metavar="OUT")
    convert.add_argument("--variant", default=None, help="rules where the file states none (default: international)")
    _add(commands, "engine", _engine, "Speak Hub version 2 on standard input and output.", "dambord engine")


def _add_seeing(commands: _Commands) -> None:
    see = _add(
        commands,
        "see",
        _see,
        "What the camera would read in pictures of a board.",
        "dambord see board.jpg --board 10x10 --json",
    )
    see.add_argument("images", metavar="IMAGE", nargs="+")
    see.add_argument("--board", choices=("8x8", "10x10", "10x8"), default="8x8", help="size (default: %(default)s)")
    see.add_argument("--variant", default=None, help="rules of the game, which decide the size, too")
    see.add_argument(
        "--corners", metavar="x,y,x,y,x,y,x,y", help="of the playing area: White's left and right, Black's left, right"
    )
    see.add_argument("--position", metavar="FEN", help="what stood there: ranks the moves by what the picture shows")
    see.add_argument(
        "--known", metavar="IMAGE=FEN", action="append", default=[], help="a picture of the same board to learn from"
    )
    see.add_argument("--rows", action="store_true", help="number squares row by row from the top left as White sees it")
    see.add_argument("--json", action="store_true")


def _add_measuring(commands: _Commands) -> None:
    simulate = _add(
        commands,
        "simulate",
        _simulate,
        "Simulated hands play games on a simulated board.",
        "dambord simulate games.pdn --driver dgt --games 40 --hands real --noise worn --seed 7 --json",
    )
    simulate.add_argument("file", metavar="FILE.pdn", nargs="?", help="recorded games (default: some are made)")
    simulate.add_argument(
        "--driver",
        choices=(*SIMULATED, "camera", *FIRMWARES),
        default="matrix",
        help="kind of board, or the firmware that runs one (with --realtime)",
    )
    simulate.add_argument("--colour", action="store_true", help="a matrix that tells white pieces from black ones")
    simulate.add_argument(
        "--hands",
        choices=("calm", "real", "senior", "blitz", "child", "clean"),
        default="calm",
        help="habits of the hands",
    )
    simulate.add_argument(
        "--noise",
        choices=("clean", "normal", "worn", "bad", "none"),
        default="clean",
        help="faults of board and wire; none is clean (default: %(default)s)",
    )
    simulate.add_argument("--seed", type=int, default=1, help="chance that can be repeated (default: %(default)s)")
    simulate.add_argument(
        "--games", type=int, default=None, help="so many; a file is played again and again (default: the file's, or 1)"
    )
    simulate.add_argument(
        "--variant", default=None, help="rules of made games, and where the file states none (default: international)"
    )
    simulate.add_argument(
        "--replies",
        choices=("white", "black", "mixed"),
        help="the station shows this side's moves, hands carry them out; mixed: in two of three games",
    )
    simulate.add_argument(
        "--realtime", action="store_true", help="over pseudo-terminals, threads and the wall clock; games side by side"
    )
    simulate.add_argument(
        "--record", metavar="FOLDER", help="where the recordings go (default: a folder of the user's state)"
    )
    _json(simulate)
    replay = _add(
        commands, "replay", _replay, "Feed a recording to the core again and compare.", "dambord replay game.jsonl"
    )
    replay.add_argument("recordings", nargs="+", metavar="RECORDING", help="a journal, or what `dambord report` wrote")
    _json(replay)


def _add_endings(commands: _Commands) -> None:
    endings = _add(
        commands, "endings", _no_endings_command, "Endgame tables.", "dambord endings make --variant russian --pieces 4"
    )
    inner = endings.add_subparsers(title="commands", required=True, metavar="COMMAND")
    make = _add(
        inner,
        "make",
        _endings_make,
        "Compute endgame tables; those that are there already are kept.",
        "dambord endings make --variant russian --pieces 5",
    )
    make.add_argument(
        "--pieces", type=int, metavar="N", help="up to how many pieces (default: 4; 3 on more than 64 squares)"
    )
    make.add_argument("--background", action="store_true", help="let everything else go first")
    show = _add(
        inner,
        "show",
        _endings_show,
        "What endgame tables there are, or how a position ends.",
        'dambord endings show --variant russian --fen "W:WKa1:BKh8"',
    )
    show.add_argument("--fen", help="position; without it: what tables there are")
    show.add_argument(
        "--rows", action="store_true", help="number squares row by row from the top left as White sees it"
    )
    for command in (make, show):
        command.add_argument("--variant", required=True, help="rules to play by; `dambord variants` lists them")
        command.add_argument("--folder", help="where tables lie (default: a folder of the user's state)")
        _json(command)


def _add_match(commands: _Commands) -> None:
    match = _add(
        commands,
        "match",
        _match,
        "Two engines play a match from drawn openings, each opening with both colours.",
        'dambord match --variant international --white dambord --black "dame hub" --games 20 --seconds 0.2',
    )
    player = (
        "command line of a Hub engine; or dambord, engine:LEVEL, dxp:HOST:PORT, dxp:listen:PORT, or with dxp:follow: "
        "for dxp: a program that asks for the games itself"
    )
    match.add_argument("--variant", required=True, help="rules to play by; `dambord variants` lists them")
    match.add_argument("--white", required=True, metavar="CMD", help=f"the first player, White in odd games: {player}")
    match.add_argument("--black", required=True, metavar="CMD", help="the second player, likewise")
    match.add_argument("--games", type=int, default=20, metavar="N", help="how many games (default: %(default)s)")
    match.add_argument("--seconds", type=float, metavar="S", help="time for a move (default: 1, if no other limit)")
    match.add_argument("--nodes", type=int, metavar="N", help="positions for a move")
    match.add_argument("--depth", type=int, metavar="N", help="plies that a search looks ahead")
    match.add_argument(
        "--margin", type=float, default=1.0, metavar="S", help="so late a move still counts (default: %(default)s s)"
    )
    match.add_argument(
        "--minutes", type=int, default=5, help="each side's time for a game over DamExchange (default: %(default)s)"
    )
    match.add_argument(
        "--openings",
        default="",
        metavar="TABLE",
        help="an opening table, or random:PLIES (default: the variant's tables, or random:6)",
    )
    match.add_argument(
        "--moves-limit", type=int, default=200, metavar="PLIES", help="draw after so many plies (default: %(default)s)"
    )
    match.add_argument("--seed", type=int, default=1, help="which openings are drawn (default: %(default)s)")
    match.add_argument("--concurrency", type=int, default=1, metavar="N", help="games side by side (default: 1)")
    match.add_argument(
        "--white-set", action="append", default=[], metavar="NAME=VALUE", help="a Hub parameter of --white"
    )
    match.add_argument(
        "--black-set", action="append", default=[], metavar="NAME=VALUE", help="a Hub parameter of --black"
    )
    match.add_argument("--pdn", metavar="FILE", help="write the games to this file as they end")
    _json(match)


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, and nothing else, on standard output")


def _position(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--variant", required=True, help="rules to go by; `dambord variants` lists them")
    parser.add_argument("--fen", help="position (default: the start)")
    parser.add_argument(
        "--rows", action="store_true", help="number squares row by row from the top left as White sees it"
    )


# Each command imports what it needs: most need neither the web server nor the ports.


def _demo(options: argparse.Namespace) -> int:
    from station.runtime.demo import demo

    return demo(options)


def _club(options: argparse.Namespace) -> int:
    from station.runtime.club import club

    return club(options)


def _run(options: argparse.Namespace) -> int:
    from station.runtime.running import run

    return run(options)


def _check(options: argparse.Namespace) -> int:
    from station.runtime.running import check_config

    return check_config(options)


def _doctor(options: argparse.Namespace) -> int:
    from station.runtime.doctor import doctor

    return doctor(options)


def _report(options: argparse.Namespace) -> int:
    from station.runtime.report import report

    return report(options)


def _backup(options: argparse.Namespace) -> int:
    from station.runtime.report import backup

    return backup(options)


def _no_calibrate_command(_: argparse.Namespace) -> int:
    return BAD_USAGE


def _calibrate_board(options: argparse.Namespace) -> int:
    from station.runtime.calibrate import calibrate_board

    return calibrate_board(options)


def _calibrate_arm(options: argparse.Namespace) -> int:
    from station.runtime.calibrate_arm import calibrate_arm

    return calibrate_arm(options)


def _calibrate_camera(options: argparse.Namespace) -> int:
    from station.runtime.calibrate_camera import calibrate_camera

    return calibrate_camera(options)


def _variants(options: argparse.Namespace) -> int:
    from station.runtime import game_commands

    return game_commands.variants(options)


def _moves(options: argparse.Namespace) -> int:
    from station.runtime import game_commands

    return game_commands.moves(options)


def _perft(options: argparse.Namespace) -> int:
    from station.runtime import game_commands

    return game_commands.perft(options)


def _analyse(options: argparse.Namespace) -> int:
    from station.runtime import analysing

    return analysing.analyse(options)


def _explain(options: argparse.Namespace) -> int:
    from station.runtime import game_commands

    return game_commands.explain(options)


def _no_pdn_command(_: argparse.Namespace) -> int:
    return BAD_USAGE


def _diagram(options: argparse.Namespace) -> int:
    from station.runtime import pictures

    return pictures.diagram(options)


def _pdn_check(options: argparse.Namespace) -> int:
    from station.runtime import game_commands

    return game_commands.pdn_check(options)


def _pdn_convert(options: argparse.Namespace) -> int:
    from station.runtime import game_commands

    return game_commands.pdn_convert(options)


def _engine(_: argparse.Namespace) -> int:
    from engine import serve

    serve.main()
    return 0


def _simulate(options: argparse.Namespace) -> int:
    from station.runtime import measuring

    return measuring.simulate(options)


def _see(options: argparse.Namespace) -> int:
    from station.runtime import seeing

    return seeing.see(options)


def _replay(options: argparse.Namespace) -> int:
    from station.runtime import measuring

    return measuring.replay(options)


def _no_endings_command(_: argparse.Namespace) -> int:
    return BAD_USAGE


def _endings_make(options: argparse.Namespace) -> int:
    from station.runtime import endings

    return endings.make_endings(options)


def _endings_show(options: argparse.Namespace) -> int:
    from station.runtime import endings

    return endings.show_endings(options)


def _match(options: argparse.Namespace) -> int:
    from station.runtime import match_command

    return match_command.match(options)


if __name__ == "__main__":
    sys.exit(main())
