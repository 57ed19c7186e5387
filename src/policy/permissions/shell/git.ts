// `git`: its subcommand behind the options before it, its aliases, and the options by which it runs other commands.
import { type CommandFacts, type InnerCommand, possiblyInner } from './command-facts.ts';
import { anyWords, type CommandForm, type Doubt, plainWord, type ShellWord } from './step.ts';

/** Before the subcommand, with a value in the next word. */
const valued = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--super-prefix',
  '--config-env',
  '--attr-source',
]);
/** They only change how it looks. */
const harmless = new Set(['--no-pager', '-P', '--no-optional-locks', '--no-replace-objects', '--literal-pathspecs']);
/** Keys that run nothing. */
const harmlessKeys =
  /^(?:user\.(?:name|email)|color\.[\w.]+|core\.(?:quotepath|abbrev|autocrlf|safecrlf)|init\.defaultbranch|advice\.\w+|(?:commit|tag)\.gpgsign|diff\.(?:renames|algorithm|context)|log\.\w+)=/i;
/** Options of subcommands that name a program. */
const naming =
  /^(?:--(?:upload-pack|receive-pack|exec|open-files-in-pager|extcmd|tool|ext-diff|textconv|hook-path|template)(?:=|$)|-O.)/;

/** What cannot be an alias, and common programs that git runs by their name. */
const known = new Set(
  (
    'add am annotate apply archimport archive attributes bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap ' +
    'check-ref-format checkout checkout--worker checkout-index cherry cherry-pick citool clean clone column commit commit-graph commit-tree config ' +
    'count-objects credential cvsexportcommit cvsimport daemon describe diagnose diff diff-files diff-index diff-tree difftool fast-export ' +
    'fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects fsmonitor--daemon gc ' +
    'get-tar-commit-id grep gui hash-object help hook http-backend http-fetch http-push imap-send index-pack init init-db instaweb ' +
    'interpret-trailers log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-octopus ' +
    'merge-one-file merge-ours merge-recursive merge-resolve merge-subtree merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes ' +
    'p4 pack-objects pack-redundant pack-refs patch-id pickaxe prune prune-packed pull push quiltimport range-diff read-tree rebase ' +
    'receive-pack reflog remote remote-ext remote-fd repack replace replay request-pull rerere reset restore rev-list rev-parse revert rm ' +
    'send-email send-pack shell shortlog show show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule subtree ' +
    'svn switch symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive upload-pack var ' +
    'verify-commit verify-pack verify-tag version web--browse whatchanged worktree write-tree lfs annex crypt'
  ).split(' '),
);

export function describeGit(words: readonly ShellWord[]): CommandFacts {
  const at = findSubcommand(words);
  const options = words.slice(1, at);
  const subcommand = words[at];
  const rest = words.slice(at + 1);
  const git = plainWord('git');
  const forms: CommandForm[] = [];
  if (at > 1 && subcommand !== undefined) {
    const isExact = options.every(({ value }) => value !== undefined && harmless.has(value));
    forms.push({ words: [git, subcommand, ...rest], isExact });
  }
  const doubts: Doubt[] = [...doubtsOfOptions(words, at)];
  const inner: InnerCommand[] = [];
  if (subcommand?.value === undefined && subcommand !== undefined) {
    doubts.push({ level: 'uncovered', why: 'the subcommand of git is not known before it runs' });
  } else if (subcommand?.value !== undefined && !known.has(subcommand.value)) {
    // It may be an alias, of anything that git does.
    forms.push({ words: [git, anyWords], isExact: false });
    doubts.push({ level: 'uncovered', why: `git ${subcommand.value} may be an alias`, spelledAt: at });
    inner.push(...aliasesIn(options, subcommand.value, at));
  }
  const runs = describeRuns(subcommand?.value, words, at);
  return {
    forms,
    doubts: [...doubts, ...(runs.doubts ?? [])],
    inner: [...inner, ...(runs.inner ?? [])],
  };
}

/** Where the subcommand stands; `words.length` when there is none. A word that is not known may be it. */
function findSubcommand(words: readonly ShellWord[]): number {
  let index = 1;
  while (index < words.length) {
    const value = words[index]?.value;
    if (value === undefined || !value.startsWith('-')) return index;
    index += valued.has(value) ? 2 : 1;
  }
  return words.length;
}

function doubtsOfOptions(words: readonly ShellWord[], end: number): readonly Doubt[] {
  return words.slice(1, end).flatMap(({ value, text }, offset): Doubt[] => {
    const spelledAt = offset + 1;
    if (value === '-c') {
      const setting = words[spelledAt + 1];
      if (setting !== undefined && !setting.isMany && harmlessKeys.test(setting.prefix)) return [];
      const isAlias = setting?.value !== undefined && /^alias\./i.test(setting.value);
      const why = 'git -c can set a program that git runs';
      return [{ level: isAlias ? 'uncovered' : 'anything', why, spelledAt: spelledAt + 1 }];
    }
    if (value === '--config-env' || (value !== undefined && /^--(?:config-env|exec-path)=/.test(value))) {
      return [{ level: 'anything', why: `git ${text} can set a program that git runs`, spelledAt }];
    }
    return [];
  });
}

/** What `-c alias.name=…` makes of the subcommand. */
function aliasesIn(options: readonly ShellWord[], name: string, index: number): readonly InnerCommand[] {
  return options.flatMap(({ value }, at): InnerCommand[] => {
    const setting = value === '-c' ? options[at + 1]?.value : undefined;
    if (setting === undefined || !setting.toLowerCase().startsWith(`alias.${name.toLowerCase()}=`)) return [];
    const alias = setting.slice(`alias.${name}=`.length);
    // git hands it to sh with the words behind it.
    if (alias.startsWith('!')) return [{ index, script: `${alias.slice(1)} "$@"` }];
    return [{ index, script: `git ${alias} "$@"` }];
  });
}

/** Subcommands and options that run a command of their own. */
function describeRuns(subcommand: string | undefined, words: readonly ShellWord[], at: number): CommandFacts {
  const values = words.slice(at + 1).map(({ value }) => value);
  const runsAt = (name: string): number => at + 1 + values.indexOf(name) + 1;
  if (subcommand === 'bisect' && values.includes('run')) return possiblyInner(words, runsAt('run'));
  if (subcommand === 'submodule' && values.includes('foreach')) return possiblyInner(words, runsAt('foreach'));
  const isRunning =
    subcommand === 'filter-branch' ||
    (subcommand === 'rebase' && values.some((value) => value !== undefined && /^-[a-z]*x/.test(value))) ||
    values.some((value) => value !== undefined && naming.test(value));
  const why = 'an option of git names a program to run';
  return isRunning ? { doubts: [{ level: 'anything', why }] } : {};
}
