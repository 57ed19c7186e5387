// The readers of skills and instructions under the contract: the disk's in the terminal, the base commit's in the Action.
import { createDiskSkillFiles } from '../../src/skills/disk-files.ts';
import { describeRepositoryFiles } from '../contracts/repository-files.ts';
import { baseFilesOf } from '../github/base-files.ts';
import { commitAll } from '../github/git-workspace.ts';

describeRepositoryFiles({
  name: 'The disk',
  open: async ({ workDir }) => createDiskSkillFiles(workDir),
  maxDepth: 5,
  maxBytes: 262_144,
  listsPackages: false,
  entersModules: true,
  entersLinkedFolders: true,
  comesBack: true,
});
describeRepositoryFiles({
  name: 'The base commit',
  open: async (place) => baseFilesOf(place, commitAll(place, 'all of it')),
  maxDepth: Number.POSITIVE_INFINITY,
  maxBytes: Number.POSITIVE_INFINITY,
  listsPackages: true,
  entersModules: false,
  entersLinkedFolders: true,
  comesBack: false,
});
