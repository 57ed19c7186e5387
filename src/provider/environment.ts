// The process environment for those who embed a provider without passing `env`; the Action and the terminal always pass it.

/** The environment of the process, read at the moment a provider is created and not before. */
export function embeddingEnvironment(): Readonly<Record<string, string | undefined>> {
  // biome-ignore lint/style/noProcessEnv: the embedding edge: the specification's constructor takes a model name and nothing else
  return process.env;
}
