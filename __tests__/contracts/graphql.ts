// Holds texts of GraphQL operations and answers to them against GitHub's published schema.
import { schema as published, validate } from '@octokit/graphql-schema';
import { buildClientSchema, execute, type GraphQLSchema, parse } from 'graphql';

let built: GraphQLSchema | undefined;

/** What is wrong with an operation's text; empty when GitHub would take it. */
export function problemsOfQuery(query: string): readonly string[] {
  try {
    return validate(query).map((error) => error.message);
  } catch (error) {
    return [String(error)];
  }
}

/** What of an answer the operation selects, and where that is not as the schema's types say. */
export async function selectFrom(query: string, variables: Readonly<Record<string, unknown>>, answer: unknown) {
  built ??= buildClientSchema(JSON.parse(JSON.stringify(published.json)));
  const { data, errors = [] } = await execute({
    schema: built,
    document: parse(query),
    rootValue: answer,
    variableValues: variables,
  });
  const problems = errors.map(({ message, path }) => `${path?.join('.')}: ${message}`);
  return { data: JSON.parse(JSON.stringify(data ?? null)), problems };
}
