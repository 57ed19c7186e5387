// A piece of Markdown as the words in it: code keeps its ticks, which GitHub shows in titles, too; pictures and HTML are nothing. Pure.
import type { fromMarkdown } from 'mdast-util-from-markdown';

type Tree = ReturnType<typeof fromMarkdown>;
type Below<N> = N extends { children: readonly (infer C)[] } ? C : never;
/** A block, or what is in one. */
type Node = Tree | Tree['children'][number] | Below<Tree['children'][number]>;

/** The text of a node and of what is in it. */
export function toPlainText(node: Node): string {
  switch (node.type) {
    case 'text':
      return node.value;
    case 'inlineCode':
      return node.value.includes('`') ? node.value : `\`${node.value}\``;
    case 'break':
      return '\n';
    default:
      return 'children' in node ? node.children.map((child) => toPlainText(child)).join('') : '';
  }
}
