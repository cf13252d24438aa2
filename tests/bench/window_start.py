# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the window takes to appear with a full store, and what it costs when nothing happens.

Runs on an X server of its own (Xvfb) and asks it, a thousand times a second, whether a window is
there and painted.
"""
import ctypes
import os
import sqlite3
import statistics
import subprocess
import time

STARTS = 7
IDLE_SECONDS = 5


class XWindowAttributes(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int), ("width", ctypes.c_int),
                ("height", ctypes.c_int), ("border", ctypes.c_int), ("depth", ctypes.c_int),
                ("visual", ctypes.c_void_p), ("root", ctypes.c_ulong), ("window_class", ctypes.c_int),
                ("bit_gravity", ctypes.c_int), ("win_gravity", ctypes.c_int),
                ("backing_store", ctypes.c_int), ("backing_planes", ctypes.c_ulong),
                ("backing_pixel", ctypes.c_ulong), ("save_under", ctypes.c_int),
                ("colormap", ctypes.c_ulong), ("map_installed", ctypes.c_int),
                ("map_state", ctypes.c_int), ("all_event_masks", ctypes.c_long),
                ("your_event_mask", ctypes.c_long), ("do_not_propagate", ctypes.c_long),
                ("override_redirect", ctypes.c_int), ("screen", ctypes.c_void_p)]


VIEWABLE = 2
Z_PIXMAP = 2


class Display:
    def __init__(self, name):
        self.x = ctypes.CDLL("libX11.so.6")
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.x.XDefaultRootWindow.restype = ctypes.c_ulong
        self.x.XGetImage.restype = ctypes.c_void_p
        self.x.XGetPixel.restype = ctypes.c_ulong
        self.handle = ctypes.c_void_p(self.x.XOpenDisplay(name.encode()))
        if not self.handle:
            raise RuntimeError(f"no X server {name}")
        self.handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
            lambda *_: 0)  # a window may vanish between two questions
        self.x.XSetErrorHandler(self.handler)

    def is_painted(self):
        """Whether a window of some size is shown and its middle has been drawn."""
        root = ctypes.c_ulong(self.x.XDefaultRootWindow(self.handle))
        ignored, windows, count = ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
        self.x.XQueryTree(self.handle, root, ctypes.byref(ignored), ctypes.byref(ignored),
                          ctypes.byref(windows), ctypes.byref(count))
        found = [windows[i] for i in range(count.value)]
        self.x.XFree(windows)
        return any(self._painted(ctypes.c_ulong(window)) for window in found)

    def _painted(self, window):
        facts = XWindowAttributes()
        if not self.x.XGetWindowAttributes(self.handle, window, ctypes.byref(facts)):
            return False
        if facts.map_state != VIEWABLE or facts.width < 400:
            return False
        image = self.x.XGetImage(self.handle, window, facts.width // 2, facts.height // 2, 1, 1,
                                 ctypes.c_ulong(0xFFFFFF), Z_PIXMAP)
        if not image:
            return False
        pixel = self.x.XGetPixel(ctypes.c_void_p(image), 0, 0)
        self.x.XDestroyImage(ctypes.c_void_p(image))
        return pixel != 0


def multiply_runs(store, count):
    """Copies the newest run with its series until there are `count` runs."""
    db = sqlite3.connect(store)

    def copy(table, key, old, new_parent=None):
        names = [row[1] for row in db.execute(f"PRAGMA table_info({table})") if row[1] != "id"]
        values = ["?" if name == key and new_parent is not None else name for name in names]
        chosen = key if new_parent is not None else "id"
        parameters = ([new_parent] if new_parent is not None else []) + [old]
        return db.execute(f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)}"
                          f" FROM {table} WHERE {chosen} = ?", parameters).lastrowid

    run, comparison = db.execute("SELECT id, comparison_id FROM run ORDER BY id DESC").fetchone()
    series = [row[0] for row in db.execute("SELECT id FROM series WHERE run_id = ?", (run,))]
    for _ in range(db.execute("SELECT count(*) FROM run").fetchone()[0], count):
        new_comparison = copy("comparison", "id", comparison)
        new_run = db.execute("SELECT max(id) + 1 FROM run").fetchone()[0]
        names = [row[1] for row in db.execute("PRAGMA table_info(run)")]
        values = {"id": new_run, "comparison_id": new_comparison}
        db.execute(f"INSERT INTO run ({', '.join(names)}) SELECT "
                   + ", ".join(str(values.get(name, name)) for name in names)
                   + " FROM run WHERE id = ?", (run,))
        for old in series:
            new = db.execute("INSERT INTO series (run_id, name, unit, axis) SELECT ?, name, unit, axis"
                             " FROM series WHERE id = ?", (new_run, old)).lastrowid
            copy("chunk", "series_id", old, new)
    db.commit()
    db.close()


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start_once(program, store, display, environment):
    begin = time.perf_counter()
    process = subprocess.Popen([program, "--store", store], env=environment,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not display.is_painted():
        if process.poll() is not None or time.perf_counter() - begin > 60:
            process.kill()
            raise RuntimeError("the window did not appear")
        time.sleep(0.001)
    return (time.perf_counter() - begin) * 1000, process


def measure(program, store):
    """Milliseconds from start to a painted window, and idle CPU in percent of one core."""
    reading, writing = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(writing), "-screen", "0", "1600x1000x24"],
                              pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as pipe:
            name = ":" + pipe.readline().strip()
        display = Display(name)
        environment = {**os.environ, "DISPLAY": name, "QT_QPA_PLATFORM": "xcb",
                       "XDG_CONFIG_HOME": os.path.join(os.path.dirname(store), "config")}
        times = []
        for _ in range(STARTS):
            milliseconds, process = start_once(program, store, display, environment)
            times.append(milliseconds)
            if len(times) == STARTS:
                time.sleep(2)
                before = cpu_seconds(process.pid)
                time.sleep(IDLE_SECONDS)
                idle = (cpu_seconds(process.pid) - before) / IDLE_SECONDS * 100
            process.kill()
            process.wait()
            while display.is_painted():
                time.sleep(0.01)
        return {"window_ms": statistics.median(times[1:]), "idle_percent": idle}
    finally:
        server.kill()
        server.wait()
