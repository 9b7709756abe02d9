"""E-mail: published messages are new, with listed headers and the text that was read.

message        what a message says: listed headers, bodies, forwarded messages; everything else is dropped
second_reader  reads a written message again, by the newer interface of the standard library
attachments    files that are attached, by their own formats
threads        ids of messages, keyed
formats        a message a file, and a mailbox of many
"""
