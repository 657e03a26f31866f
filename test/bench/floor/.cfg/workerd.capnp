using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [
    (name = "worker.js", esModule = embed "../worker.js"),
  ],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = [],
  bindings = [
    (name = "ECHO", durableObjectNamespace = "Echo"),
  ],
  durableObjectNamespaces = [
    (className = "Echo", uniqueKey = "herdr-mcp-Echo", enableSql = true),
  ],
  durableObjectStorage = (inMemory = void),
);
