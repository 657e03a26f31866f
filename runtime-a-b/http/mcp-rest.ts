/**
 * Everything at the loopback door but `tools/call`: both eras, sessionless, by the SDK. Loaded at the first request that
 * needs it, because most starts of the runtime never do.
 */
import { createMcpHandler, type McpHttpHandler, Server } from '@modelcontextprotocol/server';
import { CURRENT_RUNTIME } from '../../contract/epochs/index.ts';
import { VERSION } from '../../local/version/index.ts';

/** Facts for a model that connects here; under 2 KiB, because hosts cut longer ones. */
const INSTRUCTIONS =
  'Tools of this workstation: files, Git, shell and coding agents of the projects that Herdr has open. herdr_inspect shows what is open; herdr_skill explains how the tools fit together.';

/** `tools/call` never arrives here well-formed; its answer only exists for the SDK to word what is wrong with it. */
export function createMcpRest(): McpHttpHandler {
  return createMcpHandler(
    () => {
      const server = new Server(
        { name: 'herdr-mcp', version: VERSION },
        { capabilities: { tools: { listChanged: false } }, instructions: INSTRUCTIONS },
      );
      server.setRequestHandler('tools/list', () => ({
        tools: CURRENT_RUNTIME.tools.map((tool) => ({
          ...tool,
          inputSchema: { ...tool.inputSchema, type: 'object' as const },
        })),
      }));
      server.setRequestHandler('tools/call', () => ({
        content: [
          {
            type: 'text',
            text: JSON.stringify({
              ok: false,
              code: 'invalid_params',
              message: 'name is a string and arguments an object. Nothing was run.',
            }),
          },
        ],
        isError: true,
      }));
      return server;
    },
    { responseMode: 'auto', maxRequestBodySize: 1024 * 1024 },
  );
}
