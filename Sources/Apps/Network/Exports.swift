// Apple's module makes Dispatch visible as well: code that only imports Network names queues.
@_exported public import Dispatch
