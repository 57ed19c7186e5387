// Made-up files of data formats, for the kinds that the shared benchmark does not have.
import type { Random } from './random.ts';
import type { Language, SourceFile } from './source-file.ts';
import { parseSource } from './source-file.ts';

const NAMES = [
  ...['harbour', 'lantern', 'meadow', 'compass', 'pebble', 'saddle', 'timber', 'velvet', 'walnut', 'zephyr'],
  ...['basket', 'copper', 'dagger', 'ember', 'falcon', 'glacier', 'hollow', 'island', 'jasmine', 'kettle'],
];
const SECTIONS = 12;
const FILES_EACH = 5;

type Maker = (name: () => string, number: () => number) => readonly string[];

/** A few files each of JSON, XML, TOML, INI and CSV; the same ones for one state of `random`. */
export function formatFiles(random: Random): readonly SourceFile[] {
  const name = (): string => random.pick(NAMES);
  const number = (): number => random.int(2, 9_000);
  const make = (lang: Language, section: Maker, wrap: (lines: readonly string[]) => readonly string[]): readonly SourceFile[] =>
    Array.from({ length: FILES_EACH }, (_, index) => {
      const lines = Array.from({ length: SECTIONS }, () => section(name, number)).flat();
      return parseSource(`synthetic/formats/${name()}-${index}.${lang}`, lang, `${wrap(lines).join('\n')}\n`);
    });
  return [
    ...make('json', jsonSection, (lines) => ['{', ...lines, '  "end": null', '}']),
    ...make('xml', xmlSection, (lines) => ['<?xml version="1.0"?>', '<catalogue>', ...lines, '</catalogue>']),
    ...make('toml', tomlSection, (lines) => lines),
    ...make('ini', iniSection, (lines) => lines),
    ...make('csv', csvSection, (lines) => ['id,name,place,count', ...lines]),
  ];
}

function jsonSection(name: () => string, number: () => number): readonly string[] {
  const [a, b] = [name(), name()];
  return [
    `  "${a}-${number()}": {`,
    `    "label": "the ${b} of ${name()}",`,
    `    "limits": { "low": ${number()}, "high": ${number()} },`,
    '    "steps": [',
    `      "${name()}/${b}",`,
    `      "${a}/${name()}"`,
    '    ],',
    `    "enabled": ${number() % 2 === 0},`,
    `    "${b}Count": ${number()}`,
    '  },',
  ];
}

function xmlSection(name: () => string, number: () => number): readonly string[] {
  const [a, b] = [name(), name()];
  return [
    `  <item id="${a}-${number()}" kind="${b}">`,
    `    <title lang="en">The ${a} &amp; the ${name()}</title>`,
    `    <price currency="EUR">${number()}</price>`,
    `    <!-- kept for the ${b} of ${number()} -->`,
    '    <places>',
    `      <place x="${number()}" y="${number()}"/>`,
    '    </places>',
    '  </item>',
  ];
}

function tomlSection(name: () => string, number: () => number): readonly string[] {
  const [a, b] = [name(), name()];
  return [
    `[${a}.${b}-${number()}]`,
    `title = "The ${a} of ${name()}"`,
    `retries = ${number()}`,
    `paths = ["${b}/${name()}", '${a}']`,
    `ratio = 0.${number()} # of the ${b}`,
    `enabled = ${number() % 2 === 0}`,
    '',
  ];
}

function iniSection(name: () => string, number: () => number): readonly string[] {
  const [a, b] = [name(), name()];
  return [
    `; what the ${a} needs`,
    `[${b} ${number()}]`,
    `${a}_path = /srv/${b}/${name()}`,
    `${b}_limit=${number()}`,
    `colour = #${number()}`,
    '',
  ];
}

function csvSection(name: () => string, number: () => number): readonly string[] {
  return Array.from({ length: 5 }, () => `${number()},"${name()} ${name()}",${name()},${number()}`);
}
