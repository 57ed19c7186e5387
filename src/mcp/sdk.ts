// The packages that MCP needs, loaded when a server is configured and never before: a run without one starts without them.

/** What we use of the official SDK, and the judge of the schemas that its servers send. */
export async function loadSdk() {
  const [client, http, types, ajv] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
    import('ajv/dist/2020.js'),
  ]);
  return {
    Client: client.Client,
    StreamableHTTPClientTransport: http.StreamableHTTPClientTransport,
    StreamableHTTPError: http.StreamableHTTPError,
    ErrorCode: types.ErrorCode,
    JSONRPCMessageSchema: types.JSONRPCMessageSchema,
    ToolListChangedNotificationSchema: types.ToolListChangedNotificationSchema,
    // In the bundle a CommonJS module has its default and nothing else.
    Ajv: ajv.default.Ajv2020,
  };
}

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;
