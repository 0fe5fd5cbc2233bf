"""The Gymnasium environments: one game against a plain one, and a batch against single ones."""

import importlib.util
import pickle
import subprocess
import sys
from typing import Any

from tests.needs import packages

packages("gymnasium")

import gymnasium
import numpy as np
import pytest
from gymnasium.error import NameNotFound, ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import jaxsweep
from jaxsweep.exact_answers import ANSWERS, oracle
from jaxsweep.rules import bitboard
from tests.oracle import PlainGame
from tests.waiting import PATIENCE

ROWS, COLS, MINES, ENVS = 4, 5, 4, 6
CELLS = ROWS * COLS
CUSTOM, SIZES = "jaxsweep/Custom-v0", {"rows": ROWS, "cols": COLS, "mines": MINES}
MODES = pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)


def make(**arguments) -> Any:
    return gymnasium.make(CUSTOM, **SIZES, **arguments)


def make_vec(num_envs=ENVS, **arguments) -> Any:
    return gymnasium.make_vec(CUSTOM, num_envs, **SIZES, **arguments)


def actions(seed, steps):
    return np.random.default_rng(seed).integers(0, CELLS, (steps, ENVS))


# The rules, and what follows the end of a game.


class Plain:
    """One game with its mines, as an observation shows it; none before the first step."""

    def __init__(self):
        self.game: Any = None

    def open(self, action, mines):
        """Opens a cell; the reward is the share of safe cells that were opened."""
        self.game = self.game or PlainGame(ROWS, COLS, mines)
        before = len(self.game.opened - self.game.mines)
        self.game.open([divmod(int(action), COLS)])
        return (len(self.game.opened - self.game.mines) - before) / (CELLS - MINES)

    @property
    def is_over(self):
        return self.game is not None and self.game.status != "playing"

    @property
    def is_won(self):
        return self.game is not None and self.game.status == "won"

    @property
    def observation(self):
        grid = np.full((ROWS, COLS), -1, np.int8)
        for cell in self.game.opened if self.game else ():
            grid[cell] = 10 if cell in self.game.mines else self.game.number(cell)
        for cell in self.game.mines - self.game.opened if self.is_over else ():
            grid[cell] = 9
        return grid

    @property
    def mask(self):
        opened = self.game.opened if self.game else ()
        return [cell not in opened for cell in np.ndindex(ROWS, COLS)]


def mines_of(states):
    grids = bitboard.unpack_batch(np.moveaxis(np.asarray(states.mines), 0, -1))
    return [[(int(r), int(c)) for r, c in np.argwhere(grid)] for grid in grids]


def assert_shows(games, observations, info):
    """The observations and masks are those of the games, and `info` has nothing else."""
    np.testing.assert_array_equal(observations, [game.observation for game in games])
    np.testing.assert_array_equal(info["action_mask"], [game.mask for game in games])
    np.testing.assert_array_equal(info["won"], [game.is_won for game in games])


@MODES
def test_steps_and_resets_are_those_of_plain_games(mode):
    envs = make_vec(autoreset_mode=mode)
    observations, info = envs.reset(seed=3)
    games, ends = [Plain() for _ in range(ENVS)], 0
    assert_shows(games, observations, info)
    names = {"action_mask", "won", "_action_mask", "_won"}
    for turn, chosen in enumerate(actions(0, 60)):
        before, mines = games.copy(), mines_after(envs, chosen)
        observations, rewards, over, truncated, info = envs.step(chosen)
        expected = []
        for i, game in enumerate(before):
            if mode is AutoresetMode.NEXT_STEP and game.is_over:
                games[i] = Plain()
                expected.append(0)
            else:
                expected.append(game.open(chosen[i], mines[i]))
        np.testing.assert_allclose(rewards, expected, atol=1e-6)
        np.testing.assert_array_equal(over, [game.is_over for game in games])
        assert rewards.dtype == np.float64 and not truncated.any()
        ended = mode is AutoresetMode.SAME_STEP and over.any()
        final = {"final_obs", "final_info", "_final_obs", "_final_info"} if ended else set()
        assert set(info) == names | final
        if ended:
            which = np.nonzero(over)[0]
            np.testing.assert_array_equal(info["_final_obs"], over)
            np.testing.assert_array_equal(info["_final_info"], over)
            assert all(info["final_obs"][i] is None for i in np.nonzero(~over)[0])
            last = {name: value[which] for name, value in info["final_info"].items()}
            assert set(last) == names and last["_won"].all() and last["_action_mask"].all()
            assert_shows([games[i] for i in which], list(info["final_obs"][which]), last)
            for i in which:
                games[i] = Plain()
        assert_shows(games, observations, info)
        if mode is AutoresetMode.DISABLED and turn % 3 == 2 and over.any():
            observations, info = envs.reset(options={"reset_mask": over})
            games = [Plain() if over[i] else game for i, game in enumerate(games)]
            assert_shows(games, observations, info)
        ends += int(over.sum())
    assert ends > ENVS


def mines_after(envs, chosen):
    """The mines of each game once these cells are chosen: the first step places them."""
    ahead = pickle.loads(pickle.dumps(envs))._games
    ahead.step(chosen.astype(np.int32))
    return mines_of(ahead._states)


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_a_batch_is_gymnasiums_batch_of_single_games(mode):
    ours = make_vec(autoreset_mode=mode)
    theirs = SyncVectorEnv([make] * ENVS, autoreset_mode=mode)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    pairs: list[Any] = [(ours.reset(seed=11), theirs.reset(seed=11))]
    for chosen in actions(1, 25):
        pairs.append((ours.step(chosen), theirs.step(chosen)))
    pairs.append((ours.reset(), theirs.reset()))
    for our, their in pairs:
        for mine, yours in zip(our[:-1], their[:-1], strict=True):
            np.testing.assert_allclose(mine, yours)
        assert_equal_infos(our[-1], their[-1])
    assert any("final_obs" in our[-1] for our, _ in pairs) == (mode is AutoresetMode.SAME_STEP)


def assert_equal_infos(ours, theirs):
    """Both say the same of all environments that Gymnasium's masks select."""
    assert set(ours) == set(theirs)
    for name in ours:
        if name.startswith("_"):
            np.testing.assert_array_equal(ours[name], theirs[name])
        elif isinstance(ours[name], dict):
            assert_equal_infos(ours[name], theirs[name])
        else:
            which = theirs[f"_{name}"]
            assert ours[name].dtype == theirs[name].dtype
            for mine, yours in zip(ours[name][which], theirs[name][which], strict=True):
                np.testing.assert_array_equal(mine, yours)


# Seeds.


def play(env, steps=12):
    """Observations of one environment that opens the cells in order, from game to game."""
    seen = []
    for action in range(steps):
        observation, _, over, _, _ = env.step(action % CELLS)
        seen.append(observation)
        if over:
            env.reset()
    return np.stack(seen)


def test_games_follow_from_the_seed():
    env, again = make(), make()
    env.reset(seed=5)
    again.reset(seed=6)
    first, other = play(env, 30), play(again, 30)
    again.reset(seed=5)
    np.testing.assert_array_equal(first, play(again, 30))
    assert (first != other).any()
    env.reset(seed=5)
    env.reset()
    assert (play(env) != first[:12]).any()


def test_each_environment_of_a_batch_may_have_its_own_seed():
    envs, singles = make_vec(), [make() for _ in range(ENVS)]
    envs.reset(seed=[7, 2**40 + 7, None, 7, None, 9])
    seen = np.stack([envs.step(np.full(ENVS, cell))[0] for cell in range(3)], 1)
    for env, seed in zip(singles, (7, 2**40 + 7, 1, 7, 1, 9), strict=True):
        env.reset(seed=seed)
    for i in (0, 1, 3, 5):
        np.testing.assert_array_equal(seen[i, 0], singles[i].step(0)[0])
    np.testing.assert_array_equal(seen[0], seen[3])
    assert (seen[0] != seen[1]).any() and (seen[2] != seen[4]).any()


def test_games_without_a_seed_differ():
    one, other = (make_vec() for _ in range(2))
    for envs in (one, other):
        envs.reset()
    chosen = np.zeros(ENVS, int)
    assert (one.step(chosen)[0] != other.step(chosen)[0]).any()


def test_a_copy_goes_on_with_the_same_game():
    env = make()
    env.reset(seed=8)
    env.step(7)
    copy = pickle.loads(pickle.dumps(env.unwrapped))
    np.testing.assert_array_equal(play(env), play(copy))


# Gymnasium's own tools.


@pytest.mark.parametrize("arguments", [{}, {"render_mode": "rgb_array", "oracle": True}])
def test_gymnasiums_checker_finds_nothing(arguments):
    check_env(make(**arguments).unwrapped)


def test_actions_are_sampled_with_the_mask():
    env = make()
    observation, info = env.reset(seed=1)
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        assert observation.ravel()[action] == -1
        observation, _, over, _, info = env.step(action)


def test_statistics_of_episodes_are_recorded():
    envs = RecordEpisodeStatistics(make_vec(reward="outcome"))
    envs.reset(seed=2)
    returns = []
    for chosen in actions(3, 40):
        *_, info = envs.step(chosen)
        if "episode" in info:
            returns += info["episode"]["r"][info["_episode"]].tolist()
    assert len(returns) > ENVS and set(returns) <= {-1.0, 1.0}


@pytest.mark.parametrize(("name", "level"), list(jaxsweep.LEVELS.items())[:3])
def test_named_levels_have_their_ids(name, level):
    env: Any = gymnasium.make(f"jaxsweep:jaxsweep/{name.capitalize()}-v0")
    assert env.observation_space.shape == (level.rows, level.cols)
    assert env.unwrapped._games.environment.level == level
    envs: Any = gymnasium.make_vec(f"jaxsweep/{name.capitalize()}-v0", num_envs=3)
    assert envs.action_space.shape == (3,) and envs.single_action_space.n == level.cells
    assert envs.spec.id == f"jaxsweep/{name.capitalize()}-v0"


@pytest.mark.parametrize(
    ("imports", "with_jax"),
    [
        ("import gymnasium, jaxsweep", False),
        (
            "import jaxsweep; assert not {'gymnasium', 'numpy', 'jax'} & set(sys.modules); "
            "import importlib.util; assert importlib.util.find_spec('gymnasium'); import gymnasium",
            False,
        ),
        ("import gymnasium; gymnasium.make('jaxsweep:jaxsweep/Beginner-v0')", True),
    ],
    ids=["gymnasium first", "jaxsweep first", "by name"],
)
def test_ids_are_registered_whatever_is_imported_first(imports, with_jax):
    code = (
        f"import sys; {imports}; spec = gymnasium.spec('jaxsweep/Expert-v0'); "
        "print(spec.kwargs, spec.entry_point, 'jax' in sys.modules, "
        "gymnasium.__spec__.loader is gymnasium.__loader__)"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    expected = "{'rows': 16, 'cols': 30, 'mines': 99} jaxsweep.adapters.gymnasium:MinesweeperEnv"
    assert (done.stdout.strip(), done.stderr) == (f"{expected} {with_jax} True", "")


def test_without_gymnasium_only_the_adapter_is_missing():
    code = (
        "import sys; sys.modules['gymnasium'] = None; import jaxsweep; jaxsweep.LEVELS\n"
        "try:\n    import jaxsweep.adapters.gymnasium\nexcept ImportError as error:\n"
        "    print(error.name)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert done.stdout.strip() == "gymnasium"
    assert importlib.util.find_spec("gymnasium") is not None


# Pictures.


def test_pictures_show_what_is_seen():
    env = make(render_mode="rgb_array")
    env.reset(seed=4)
    hidden = env.render()
    assert hidden.shape == (24 * ROWS, 24 * COLS, 3) and hidden.dtype == np.uint8
    tiles = {hidden[24 * r :, 24 * c :][:24, :24].tobytes() for r, c in np.ndindex(ROWS, COLS)}
    assert len(tiles) == 1
    observation, *_ = env.step(0)
    drawn = env.render()
    by_number = {}
    for cell, number in np.ndenumerate(observation):
        r, c = 24 * cell[0], 24 * cell[1]
        by_number.setdefault(int(number), set()).add(drawn[r : r + 24, c : c + 24].tobytes())
    assert all(len(pictures) == 1 for pictures in by_number.values())
    assert len(set.union(*by_number.values())) == len(by_number) > 1
    envs = make_vec(render_mode="rgb_array")
    envs.reset(seed=4)
    envs.step(np.zeros(ENVS, int))
    pictures = envs.render()
    assert len(pictures) == ENVS
    np.testing.assert_array_equal(pictures[0], drawn)
    assert make().unwrapped.render() is None


def test_a_window_shows_the_game(monkeypatch):
    import pygame

    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = make(render_mode="human")
    env.reset(seed=4)
    env.step(0)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    plain = make(render_mode="rgb_array")
    plain.reset(seed=4)
    plain.step(0)
    np.testing.assert_array_equal(shown, plain.render())
    assert "4×5/4" in pygame.display.get_caption()[0]
    pickle.dumps(env.unwrapped)
    env.render()
    env.close()
    assert pygame.display.get_surface() is None
    env.close()


# The oracle.


def test_the_oracle_answers_about_every_game_under_way():
    envs = make_vec(oracle=True, autoreset_mode="SameStep")
    observations, info = envs.reset(seed=1)
    for _ in range(12):
        answers = info["oracle"]
        expected = oracle(observations, MINES)
        assert set(answers) == {*ANSWERS, *(f"_{name}" for name in ANSWERS)}
        for name in ANSWERS:
            np.testing.assert_array_equal(answers[name], expected[name])
            assert answers[name].shape[0] == ENVS
        assert answers["_mine_probability"].all() and answers["_choice"].all()
        known = ~np.isnan(answers["win_probability"]).any((1, 2))
        np.testing.assert_array_equal(answers["_win_probability"], known)
        observations, *_, info = envs.step(answers["choice"])


def test_a_game_that_is_over_has_no_answers():
    envs = make_vec(oracle=["mine_probability", "choice"], autoreset_mode="Disabled")
    envs.reset(seed=1)
    steps = [envs.step(chosen) for chosen in actions(0, 25)]
    _, _, over, _, info = steps[-1]
    assert set(info["oracle"]) == {"mine_probability", "choice", "_mine_probability", "_choice"}
    assert over.any()
    np.testing.assert_array_equal(info["oracle"]["_choice"], ~over)
    np.testing.assert_array_equal(info["oracle"]["_mine_probability"], ~over)


def test_a_board_without_mines_is_over_at_once():
    envs = gymnasium.make_vec(CUSTOM, 2, rows=3, cols=3, mines=0, oracle=True)
    envs.reset(seed=1)
    observations, rewards, over, _, info = envs.step(np.zeros(2, int))
    assert (observations == 0).all() and (rewards == 1).all() and over.all() and info["won"].all()
    assert not any(info["oracle"][f"_{name}"].any() for name in ANSWERS)


def test_one_game_has_answers_without_a_batch_axis():
    env = make(oracle=True, start="zero")
    _, info = env.reset(seed=1)
    first = info["oracle"]
    # No search is in reach yet; and there is nothing to be known in the end.
    assert set(first) == {*ANSWERS} - {"win_probability"}
    assert first["safe"].shape == (ROWS, COLS) and first["safe"].all()
    assert first["log_layouts"].shape == first["choice"].shape == ()
    over, last = False, first
    while not over:
        last = info["oracle"]
        _, _, over, _, info = env.step(last["choice"])
    assert info["oracle"] == {}
    assert last["win_probability"].shape == (ROWS, COLS)


# Bad input.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"mines": 21}, "a 4×5 board holds 0 to 20 mines, not 21"),
        ({"mines": 20}, "20 mines do not fit: a SAFE start"),
        ({"mines": 12, "start": "zero"}, "12 mines do not fit: a ZERO start"),
        ({"rows": 0}, "a board needs 1 to 4096 rows, not 0"),
        ({"start": "soft"}, "start is one of 'any', 'safe', 'zero'; not 'soft'"),
        ({"reward": "money"}, "reward is one of 'progress', 'outcome', 'regret'; not 'money'"),
        ({"oracle": "luck"}, "oracle is one of 'mine_probability', .*; not 'luck'"),
    ],
)
@pytest.mark.parametrize("maker", [gymnasium.make, gymnasium.make_vec])
def test_bad_arguments_get_one_sentence(maker, arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        maker(CUSTOM, **(SIZES | arguments))


def test_other_bad_input_gets_one_sentence():
    with pytest.raises(NameNotFound, match="Environment `Exprt` doesn't exist in namespace"):
        gymnasium.make("jaxsweep:jaxsweep/Exprt-v0")
    with pytest.raises(TypeError, match=r"missing .* required .*rows"):
        gymnasium.make(CUSTOM)
    with pytest.raises(ValueError, match=r"autoreset_mode is one of .*; not 'Never'"):
        make_vec(autoreset_mode="Never")
    with pytest.raises(ValueError, match="num_envs is 1 or more, not 0"):
        make_vec(num_envs=0)
    with pytest.raises(ValueError, match="render_mode is one of 'rgb_array'; not 'human'"):
        make_vec(render_mode="human")
    envs = make_vec()
    with pytest.raises(ResetNeeded, match="reset the environment before the first step"):
        envs.step(np.zeros(ENVS, int))
    with pytest.raises(ResetNeeded, match="before a reset_mask can select some"):
        envs.reset(options={"reset_mask": np.arange(ENVS) == 0})
    with pytest.raises(ValueError, match="2 seeds are given for 6 environments"):
        envs.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="seeds are 0 or more, not -4"):
        envs.reset(seed=[1, -4, 3, 4, 5, 6])
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="reset_mask is an array of 6 bools of which some are"):
        envs.reset(options={"reset_mask": np.zeros(ENVS, bool)})
    with pytest.raises(ValueError, match=r"6 whole numbers, .* not an array of shape \(3,\)"):
        envs.step(np.zeros(3, int))
    with pytest.raises(ValueError, match="action 20 of environment 2 is none of the cells 0 to 19"):
        envs.step(np.array([0, 0, 20, 0, 0, -1]))
