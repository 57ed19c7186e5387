// Made-up files of the languages that npm packages carry little of: Go, Python, make, YAML, TypeScript indented by tabs, Markdown.
import type { Random } from './random.ts';
import type { Language, SourceFile } from './source-file.ts';
import { parseSource } from './source-file.ts';

const NOUNS = [
  ...['order', 'invoice', 'session', 'bucket', 'worker', 'ledger', 'parcel', 'ticket', 'mirror', 'signal'],
  ...['budget', 'widget', 'anchor', 'beacon', 'cursor', 'device', 'engine', 'filter', 'garden', 'hammer'],
];
const VERBS = ['load', 'store', 'merge', 'parse', 'check', 'flush'];

/** What the makers of files draw from. */
interface Words {
  readonly noun: () => string;
  readonly verb: () => string;
  readonly number: () => number;
  readonly random: Random;
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** About seventy files; the same ones for one state of `random`. */
export function syntheticFiles(random: Random): readonly SourceFile[] {
  const words: Words = {
    noun: () => random.pick(NOUNS),
    verb: () => random.pick(VERBS),
    number: () => random.int(2, 900),
    random,
  };
  const make = (count: number, lang: Language, one: (words: Words, index: number) => Made): readonly SourceFile[] =>
    Array.from({ length: count }, (_, index) => {
      const { lines, name } = one(words, index);
      return parseSource(`synthetic/dev/${name()}`, lang, `${lines.join('\n').trimEnd()}\n`);
    });
  return [
    ...make(14, 'go', goFile),
    ...make(12, 'py', pythonFile),
    ...make(8, 'make', makefile),
    ...make(12, 'yaml', workflowFile),
    ...make(12, 'ts', classFile),
    ...make(8, 'md', markdownFile),
  ];
}

/** The name is drawn after the lines. */
interface Made {
  readonly lines: readonly string[];
  readonly name: () => string;
}

function goFile({ noun: w, verb: v, number: n, random }: Words, index: number): Made {
  const type = capital(w()) + capital(w());
  const lines = [`package ${w()}`, '', 'import (', '\t"context"', '\t"errors"', '\t"fmt"', '\t"sync"', ')', ''];
  lines.push(`// ${type} keeps the state of one ${w()}.`, `type ${type} struct {`, '\tmu      sync.Mutex');
  lines.push(`\tname    string // the ${w()} name`, `\tlimit${capital(w())} int    // at most ${n()}`);
  lines.push(`\titems   map[string]*${capital(w())}`, '}', '');
  for (let m = 0; m < random.int(7, 12); m += 1) {
    const [a, b] = [w(), w()];
    const name = capital(v()) + capital(a) + capital(b) + m;
    lines.push(`// ${name} ${v()}s the ${a} and reports a ${b}.`);
    lines.push(`func (s *${type}) ${name}(ctx context.Context, ${a} string, max int) (int, error) {`);
    lines.push('\ts.mu.Lock()', '\tdefer s.mu.Unlock()');
    lines.push(`\tif ${a} == "" {`, `\t\treturn 0, errors.New("${a}: empty name\\n")`, '\t}');
    lines.push(`\ttotal${m} := ${n()}`, '\tfor key, item := range s.items {', '\t\tif len(key) > max && item != nil {');
    lines.push(`\t\t\ttotal${m} += item.${capital(b)}(${n()})`, '\t\t\tcontinue', '\t\t}');
    lines.push(`\t\tfmt.Printf("${a}=%s\\t${b}=%d\\n", key, total${m})`, '\t}');
    lines.push(`\tif err := s.${v()}${capital(w())}(ctx, ${a}); err != nil {`);
    lines.push(`\t\treturn 0, fmt.Errorf("${v()} ${b}: %w", err)`, '\t}', `\treturn total${m}, nil`, '}', '');
  }
  return { lines, name: () => `${w()}_${index}.go` };
}

function pythonFile({ noun: w, verb: v, number: n, random }: Words, index: number): Made {
  const type = capital(w()) + capital(w());
  const lines = ['import json', 'import os', 'from dataclasses import dataclass', '', '', '@dataclass', `class ${type}:`];
  lines.push(`    """Holds one ${w()} and its ${w()}."""`, '', `    name: str = "${w()}"`, `    limit: int = ${n()}`, '');
  for (let m = 0; m < random.int(7, 11); m += 1) {
    const [a, b] = [w(), w()];
    lines.push(`    def ${`${v()}_${a}_${b}_${m}`}(self, ${a}, ${b}=None):`);
    lines.push(`        """${capital(v())} the ${a}; it's the ${b} that "wins"."""`, `        if ${b} is None:`);
    lines.push(`            ${b} = {"${a}": ${n()}, "mode": "${v()}"}`, '        rows = []');
    lines.push(`        for index, row in enumerate(${a}):`, `            if row["${b}"] > ${n()}:`);
    lines.push(`                rows.append(row["${b}"] * ${n()})`, `            elif index % ${random.int(2, 9)} == 0:`);
    lines.push('                print("skip\\t%s\\n" % row)', '                continue', `        # keep ${a} & ${b} in step`);
    lines.push(`        self.${a}_${m} = sum(rows) + len(${b})`);
    lines.push(`        return json.dumps({"${a}": rows, "path": os.path.join(self.name, "${b}")})`, '');
    if (random.chance(0.4)) lines.push('');
  }
  return { lines, name: () => `${w()}_${index}.py` };
}

function makefile({ noun: w, verb: v, number: n, random }: Words, index: number): Made {
  const lines = ['CC ?= gcc', `CFLAGS += -O${random.int(0, 3)} -Wall`, 'PREFIX ?= /usr/local', `VERSION := ${n()}.${n()}`, ''];
  lines.push('.PHONY: all clean install', '');
  for (let m = 0; m < random.int(9, 13); m += 1) {
    const [a, b] = [w(), w()];
    lines.push(`${v()}-${a}-${m}: ${b}.o ${w()}.h`, `\t@echo "${a} -> $@ with $$(date)"`);
    lines.push(`\t$(CC) $(CFLAGS) -D${a.toUpperCase()}=${n()} -o $@ ${b}.o`, `\tif [ -d ${a}/${b} ]; then \\`);
    lines.push(`\t\tcp -r ${a}/${b} $(PREFIX)/share/${w()}; \\`, '\tfi');
    lines.push(`\tinstall -m 0${random.pick(['644', '755', '600'])} ${b}.conf $(PREFIX)/etc/${a}.${m}`, '');
  }
  return { lines, name: () => `Makefile.${index}` };
}

function workflowFile({ noun: w, verb: v, number: n, random }: Words, index: number): Made {
  const lines = [`name: ${w()}-${w()}`, 'on:', '  push:', `    branches: [main, ${w()}]`, 'jobs:'];
  for (let m = 0; m < random.int(6, 10); m += 1) {
    const [a, b] = [w(), w()];
    lines.push(`  ${v()}-${a}-${m}:`, `    runs-on: ${random.pick(['ubuntu-22.04', 'ubuntu-24.04', 'macos-14'])}`);
    lines.push(`    timeout-minutes: ${random.int(3, 90)}`, '    strategy:', '      matrix:');
    lines.push(`        ${b}: [${random.int(10, 19)}, ${random.int(20, 29)}]`, '    env:');
    lines.push(`      ${a.toUpperCase()}_LIMIT: "${n()}"`, `      ${b.toUpperCase()}_MODE: '${v()}'`, '    steps:');
    lines.push(`      - name: ${capital(v())} the ${a}`, '        run: |', `          npm run ${v()}:${b} -- --max=${n()}`);
    lines.push(`          echo "done ${a} && ${b}"`, `      - uses: ./actions/${v()}-${b}`, '        with:');
    lines.push(`          path: ${a}/${b}`, `          retries: ${random.int(1, 9)}`, '');
  }
  return { lines, name: () => `${w()}-${index}.yml` };
}

function classFile({ noun: w, verb: v, number: n, random }: Words, index: number): Made {
  const type = capital(w()) + capital(w());
  // Each > is one level of indentation.
  const raw = [`import { ${v()}${capital(w())} } from "./${w()}"`, '', `export class ${type} {`];
  for (let m = 0; m < random.int(7, 11); m += 1) {
    const [a, b] = [w(), w()];
    raw.push(`>/** It's the ${a} that "${v()}s" the ${b}. */`);
    const name = `${v()}${capital(a)}${capital(b)}${m}`;
    raw.push(`>async ${name}(${a}: Map<string, number>, ${b} = ${n()}): Promise<string[]> {`);
    raw.push('>>const out: string[] = []', `>>for (const [key, value] of ${a}) {`);
    raw.push(
      `>>>if (value > ${b} && key !== "${w()}") {`,
      `>>>>out.push(\`\${key}:\${value * ${n()}}\`)`,
      '>>>} else if (!key) {',
    );
    raw.push('>>>>console.log("skip\\t" + key + "\\n")', '>>>>continue', '>>>}', '>>}', '');
    raw.push(`>>const label${m} = out.map((x) => x + '${v()}').join(", ")`);
    raw.push(`>>this.${a}${m} = { label: label${m}, size: out.length, max: ${n()} }`);
    raw.push(`>>return out.length > ${n()} ? out : [label${m}]`, '>}', '');
  }
  raw.push('}');
  const unit = index % 2 === 1 ? '\t' : '    ';
  const lines = raw.map((line) => {
    const text = line.replace(/^>*/, '');
    return unit.repeat(line.length - text.length) + text;
  });
  return { lines, name: () => `${w()}-${index}.ts` };
}

function markdownFile({ noun: w, verb: v, number: n, random }: Words, index: number): Made {
  const lines = [`# ${capital(w())} ${w()}`, '', `The ${w()} isn't a ${w()}; it's "just" a ${w()} - nothing more.`, ''];
  for (let m = 0; m < random.int(6, 9); m += 1) {
    const [a, b] = [w(), w()];
    lines.push(`## ${capital(v())} the ${a} (${m})`, '');
    lines.push(`Use \`${v()}${capital(a)}(${n()})\` when the ${b}'s limit - see "${w()}" - is over ${n()}.`);
    lines.push(`It can't ${v()} a ${b} that's older than ${n()} days, so don't.`, '');
    lines.push(`1. ${capital(v())} the ${a} with ${n()} items`, `2. Check that \`${b}.size < ${n()}\``);
    lines.push(`3. Then ${v()} it again after ${n()} ms`, '', '| # | name | value |', '| --- | --- | --- |');
    lines.push(`| ${n()} | ${a} | ${n()} |`, `| ${n()} | ${b} | ${n()} |`, '');
    lines.push(`<p>${capital(a)} &lt;${b}&gt; &amp; ${w()}: ${n()}&nbsp;ms</p>`, '', '```text');
    lines.push(`${n()}\t${a}\t${n()}`, `${n()}\t${b}\t${n()}`, `${n()}\t${w()}\t${n()}`, '```', '');
  }
  return { lines, name: () => `${w()}-${index}.md` };
}
