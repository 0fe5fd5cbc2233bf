"""The HTTP server: a JSON API for programs, and a page for people.

`app` answers requests, which `guard` has let through and `reading` has read within the bounds of
`limits`. Positions and games are worked on by the processes of `workers`, which carry out `tasks`.
`openapi` describes the API, and `site` holds the page.
"""
