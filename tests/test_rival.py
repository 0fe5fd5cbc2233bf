"""A rival of `python -m jaxsweep.bench --peers --rival`: its speed, and what is refused."""

import json
import re
import shlex
import sys
from dataclasses import replace

import pytest

from jaxsweep.benchmarks import peers, rivals
from jaxsweep.benchmarks.rivals import Duel, Rival, RivalError, Sample, Speed, WinRate
from jaxsweep.commands import arguments, bench, bench_report
from tests.test_instant import run as run_without_jax


def python(program: str) -> str:
    """The command of a rival written in Python, which finds the number of games in `games`."""
    text = f"import sys; games = int(sys.argv[1]); {program}"
    return shlex.join([sys.executable, "-c", text, "{games}"])


SOLVER = python("print('won 1 of 1'); print(f'won {games // 2} of {games}')")
"""It wins half of its games, or says so."""


# Speed, from times that are given.


def test_the_start_does_not_count():
    # One second to start, and then a hundredth of a second a game on two cores.
    long, short = Sample(1000, 11.0, 20.5, 400), Sample(100, 2.0, 2.5, 40)
    assert rivals.without_start(long, short) == Sample(900, 9.0, 18.0)


def test_speed_is_a_median_and_busy_cores_a_mean():
    samples = [Sample(900, 9.0, 18.0), Sample(900, 4.5, 9.0), Sample(900, 3.0, 6.0)]
    assert Speed.of(samples) == Speed(200.0, (150.0, 250.0), busy=2.0, per_core=100.0)


@pytest.mark.parametrize("processor", [None, 0.0, -0.01])
def test_without_processor_time_nothing_is_said_per_core(processor):
    samples = [Sample(900, 9.0, processor)] * 3
    assert Speed.of(samples) == Speed(100.0, (100.0, 100.0), busy=None, per_core=None)
    assert rivals.without_start(Sample(9, 3.0, None), Sample(1, 1.0, None)).processor is None


def test_a_time_that_does_not_grow_is_refused():
    for seconds in (2.0, 1.9):
        with pytest.raises(RivalError, match="took no longer for 1,000 games than for 100: "):
            rivals.without_start(Sample(1000, seconds, 1.0), Sample(100, 2.0, 1.0))


def duel(ours: Speed, theirs: Speed, won: int | None = None) -> Duel:
    wins = None if won is None else WinRate.of(2000, won)
    return Duel("./solver [bold] {games}", "endgame", 2000, 200, 3, 1, ours, theirs, wins, wins)


FAST = Speed(6000.0, (5999.0, 6001.0), busy=1.5, per_core=4000.0)
SLOW = Speed(12.34, (12.0, 13.0), busy=0.5, per_core=24.68)


def test_ratios_of_speeds():
    assert duel(FAST, SLOW).ratio == 6000 / 12.34
    assert duel(FAST, SLOW).ratio_per_core == 4000 / 24.68
    assert duel(FAST, Speed(10.0, (10.0, 10.0), None, None)).ratio_per_core is None


def test_a_tenth_of_the_games_is_the_short_run():
    assert [rivals.short_run(games) for games in (10, 19, 20, 2000)] == [1, 1, 2, 200]


# Games won, from an output that is given.


@pytest.mark.parametrize(
    ("expression", "output", "won"),
    [
        (r"won (\d+)", "won 1\nwon 789 of 2000\n", 789),
        (r"won ([\d,]+)", "won 1,789", 1789),
        (r"\(([\d.]+%)\)", "won (39.45%)", 789),
        (r"rate: (.*)$", "rate: 50 %", 1000),
        (r"won (\d+)", "won 0", 0),
    ],
)
def test_games_won_are_found_in_an_output(expression, output, won):
    assert rivals.count_wins(re.compile(expression), output, 2000) == won


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("lost", "'won (.*)' is not in what the rival prints"),
        ("won 2001", "finds '2001': neither a number of games won, of 2,000, nor a percentage"),
        ("won 0.39", "finds '0.39': neither"),
        ("won 101%", "finds '101%': neither"),
        ("won nan%", "finds 'nan%': neither"),
        ("won inf%", "finds 'inf%': neither"),
        ("won all", "finds 'all': neither"),
        ("won ", "finds '': neither"),
    ],
)
def test_an_output_without_games_won_is_refused(output, words):
    with pytest.raises(RivalError, match=re.escape(words)):
        rivals.count_wins(re.compile("won (.*)"), output, 2000)


# The program.


def test_a_rival_gets_the_number_of_games_wherever_its_command_says():
    command = shlex.join(
        [sys.executable, "-c", "import sys; print(sys.argv[1:])", "{games}", "-n={games}", "{x} *"]
    )
    sample = Rival.of(command, r"-n=(\d+)', '\{x\} \*'").run(7)
    assert (sample.games, sample.won) == (7, 7)
    assert sample.seconds > 0
    assert sample.processor is None or sample.processor > 0


@pytest.mark.parametrize(
    ("command", "wins", "words"),
    [
        ("./solver 2000", None, "needs {games} where the number of games goes: './solver 2000'"),
        ("", None, "needs {games} where the number of games goes: ''"),
        ("solver '{games}", None, "is no command: no closing quotation"),
        ("no-such-solver {games}", None, "there is no program 'no-such-solver' that can be run"),
        ("./no/solver {games}", None, "there is no program './no/solver' that can be run"),
        ("{games}", None, "there is no program '{games}' that can be run"),
        (SOLVER, "(", "--rival-wins '(' is no regular expression: "),
        (SOLVER, "won", "--rival-wins 'won' needs one group, and has 0"),
        (SOLVER, "(won) (.*)", "needs one group, and has 2"),
        (SOLVER, r"victories (\d+)", "is not in what the rival prints"),
        (
            python("sys.stderr.write('reading\\nno board\\n\\n'); sys.exit(3)"),
            None,
            "the rival ended with status 3 when asked for 200 games: no board",
        ),
        (
            python("sys.exit(1)"),
            None,
            "the rival ended with status 1 when asked for 200 games, without an error message",
        ),
        (
            python("import os; os.kill(os.getpid(), 9)"),
            None,
            "the rival was ended by signal 9 when asked for 200 games, without",
        ),
    ],
)
def test_a_rival_of_no_use_gets_a_sentence_and_status_2_without_jax(command, wins, words):
    argv = ["--peers", "--rival", command, *([] if wins is None else ["--rival-wins", wins])]
    out, said = run_without_jax("jaxsweep.bench", *argv, status=2)
    assert out == ""
    assert len(said) == 1
    assert said[0].startswith("jaxsweep: ")
    assert words in said[0]


def test_a_file_that_is_no_program_is_refused(tmp_path):
    for content, mode, words in (
        ("solver", 0o644, "there is no program"),
        ("\x7fELF", 0o755, "the rival cannot be started: Exec format error"),
    ):
        solver = tmp_path / "solver"
        solver.write_text(content)
        solver.chmod(mode)
        with pytest.raises(RivalError, match=words):
            Rival.of(shlex.join([str(solver), "{games}"])).run(1)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--rival", SOLVER], "--rival goes with --peers"),
        (["--peers", "--rival-games", "100"], "--rival-games goes with --rival"),
        (["--peers", "--rival-wins", "(.)"], "--rival-wins goes with --rival"),
        (["--peers", "--strategy", "exact"], "--strategy goes with --rival"),
        (["--peers", "--rival", SOLVER, "--rival-games", "9"], "'9' is not a whole number, 10 to"),
        (["--peers", "--rival", SOLVER, "--strategy", "nobody"], "invalid choice: 'nobody'"),
    ],
)
def test_options_of_a_rival_that_do_not_fit_are_refused_without_jax(argv, words):
    out, said = run_without_jax("jaxsweep.bench", *argv, status=2)
    assert out == ""
    assert words in said[-1]


# The command.


@pytest.mark.parametrize("won", [None, 789])
def test_the_table_fits_eighty_columns_and_shows_the_command_as_it_is(won, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    bench_report.report_rival(duel(FAST, SLOW, won), "expert-zero")
    out = capsys.readouterr().out
    assert max(len(line) for line in out.splitlines()) <= 80
    assert out.splitlines()[:3] == [
        "the rival: ./solver [bold] {games}",
        "its runs: 2,000 games less 200, 3 repeats",
        "our games: expert-zero, 16×30/99, zero start",
    ]
    assert re.search(r"endgame +6,000 +5,999 – 6,001 +1\.50 +4,000", out)
    assert re.search(r"the rival +12\.3 +12\.0 – 13\.0 +0\.50 +24\.7", out)
    assert "endgame plays 486 times as many games a second as the rival,\n162 times as" in out
    assert ("  won" in out) == ("39.45% ± 2.14%" in out) == (won is not None)


def with_given_times(run):
    """Lets a rival run, but says that it took a second, and then 10 ms a game on two cores."""

    def timed(rival: Rival, games: int) -> Sample:
        return replace(run(rival, games), seconds=1 + games / 100, processor=1 + games / 50)

    return timed


def test_a_whole_comparison(capsys, monkeypatch, tmp_path):
    # Other libraries are not what is tested, and a short run of our player will do.
    monkeypatch.setattr(peers, "find_spec", lambda name: None)
    monkeypatch.setattr(rivals, "SECONDS", 0.0)
    # On a busy machine, nobody knows how long a program takes to start.
    monkeypatch.setattr(Rival, "run", with_given_times(Rival.run))
    file = tmp_path / "rival.json"
    options = "--strategy random --level beginner --batch 64 --repeats 2 --rival-games 200"
    argv = ["--peers", "--rival", SOLVER, "--rival-wins", r"won (\d+) of", *options.split()]
    with pytest.raises(SystemExit) as left:
        arguments.run(bench.main, [*argv, "--json", "--out", str(file)])
    out, _ = capsys.readouterr()
    assert left.value.code == 0
    result = json.loads(out)
    assert json.loads(file.read_text("utf-8")) == result
    assert shlex.split(result["command"])[3 : 3 + len(argv)] == argv
    assert (result["comparisons"], result["missing"]) == ([], ["jumanji", "ms_toollib"])
    found = result["rival"]
    assert [found[key] for key in ("rival", "player", "level", "board", "start")] == [
        *(SOLVER, "random", "beginner", "9×9/10", "safe")
    ]
    assert [found[key] for key in ("games", "short_games", "repeats")] == [200, 20, 2]
    assert found["ratio"] == found["ours"]["per_second"] / found["theirs"]["per_second"]
    assert found["theirs"]["per_second"] == pytest.approx(100)
    assert found["theirs"]["per_core"] == pytest.approx(50)
    assert found["ours"]["per_second"] > 0
    assert (found["their_wins"]["games"], found["their_wins"]["won"]) == (200, 100)
    assert found["our_wins"]["games"] >= 2 * 200

    with pytest.raises(SystemExit) as left:
        arguments.run(bench.main, argv)
    out, _ = capsys.readouterr()
    assert left.value.code == 0
    assert "jumanji is not installed: no comparison" in out
    assert "random plays " in out
    assert "50.00% ± " in out
