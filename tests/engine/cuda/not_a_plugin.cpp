// SPDX-License-Identifier: GPL-3.0-or-later
// A library that loads but has not the plug-in's entry point.
extern "C" int somethingElse()
{
    return 1;
}
