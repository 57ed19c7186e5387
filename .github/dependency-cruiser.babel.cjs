/**
 * Reads the imports of one TypeScript file for dependency-cruiser and nothing else (decision 0002).
 * TypeScript 7 has no compiler API, and dependency-cruiser's swc reader stops at `using` and skips `import('x').Type`;
 * so Babel parses the file and this plugin leaves only its imports, type imports made plain: they count as well.
 */
function keepImportsOnly({ types: t }) {
  const isText = (node) => t.isStringLiteral(node) || (t.isTemplateLiteral(node) && node.quasis.length === 1);
  const textOf = (node) => (t.isStringLiteral(node) ? node.value : node.quasis[0].value.cooked);
  const isLoader = (callee) =>
    t.isImport(callee) ||
    t.isIdentifier(callee, { name: 'require' }) ||
    (t.isMemberExpression(callee) && t.isIdentifier(callee.property, { name: 'getBuiltinModule' }));

  return {
    name: 'keep-imports-only',
    visitor: {
      Program(program) {
        const sources = new Set();
        const addSource = ({ node }) => {
          if (node.source) sources.add(node.source.value);
        };
        program.traverse({
          ImportDeclaration: addSource,
          ExportNamedDeclaration: addSource,
          ExportAllDeclaration: addSource,
          TSImportType({ node }) {
            sources.add((node.argument.literal ?? node.argument).value);
          },
          CallExpression({ node }) {
            const [first] = node.arguments;
            if (isLoader(node.callee) && isText(first)) sources.add(textOf(first));
          },
        });
        program.node.directives = [];
        program.node.body = [...sources].map((source) => t.importDeclaration([], t.stringLiteral(source)));
        program.skip();
      },
    },
  };
}

module.exports = {
  babelrc: false,
  configFile: false,
  comments: false,
  parserOpts: { sourceType: 'module', plugins: ['typescript', 'explicitResourceManagement'] },
  plugins: [keepImportsOnly],
};
