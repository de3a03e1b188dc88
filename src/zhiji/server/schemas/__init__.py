"""What goes in and comes out over HTTP, field by field; one module per noun. Input is strict: no unknown fields, no coercion.

Sizes and names are checked here, meaning by the library, which says what is wrong in the same shape. Output never holds
vectors, secrets or keys of the service.
"""
