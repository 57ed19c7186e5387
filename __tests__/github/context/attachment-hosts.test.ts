import { describe, expect, test } from '@jest/globals';
import { createAttachmentHosts } from '../../../src/github/context/attachment-hosts.ts';

const id = '0f8f4e3b-289c-4efb-a3bb-85e4034b877f';
const cloud = createAttachmentHosts({ serverUrl: 'https://github.com', apiUrl: 'https://api.github.com' });
const residency = createAttachmentHosts({ serverUrl: 'https://acme.ghe.com', apiUrl: 'https://api.acme.ghe.com' });
const enterprise = createAttachmentHosts({ serverUrl: 'https://git.acme.example', apiUrl: 'https://git.acme.example/api/v3' });
const picture = { kind: 'attachment', id } as const;

describe('what a text names', () => {
  test.each([
    ['github.com', cloud, `https://github.com/user-attachments/assets/${id}`],
    ['github.com', cloud, `https://GitHub.com:443/user-attachments/assets/${id.toUpperCase()}?x=1#y`],
    ['github.com, 2023', cloud, `https://github.com/octo/shop/assets/61099/${id}`],
    ['github.com, signed', cloud, `https://private-user-images.githubusercontent.com/61099/425857712-${id}.png?jwt=e.e.e`],
    ['a cloud of its own', residency, `https://acme.ghe.com/user-attachments/assets/${id}`],
    ['a server', enterprise, `https://git.acme.example/storage/user/5/files/${id}`],
    ['a server', enterprise, `https://media.git.acme.example/user/5/files/${id}`],
  ])('an attachment of %s: %#', (_where, hosts, address) => {
    expect(hosts.read(address)).toEqual(picture);
  });

  test('what everybody may read is got where it is, in the cloud', () => {
    const url = new URL('https://user-images.githubusercontent.com/1188925/233099814-7f480a78.png');
    expect(cloud.read(url.href)).toEqual({ kind: 'public', url });
    expect(enterprise.read(url.href)).toBe(null);
  });

  test.each([
    '',
    'a.png',
    '/user-attachments/assets/x',
    `http://github.com/user-attachments/assets/${id}`,
    `https://github.com:8443/user-attachments/assets/${id}`,
    `https://github.com@evil.example/user-attachments/assets/${id}`,
    `https://me:secret@github.com/user-attachments/assets/${id}`,
    `https://github.com.evil.example/user-attachments/assets/${id}`,
    `https://github.com./user-attachments/assets/${id}`,
    `https://xgithub.com/user-attachments/assets/${id}`,
    `https://gіthub.com/user-attachments/assets/${id}`,
    `https://evil.example/github.com/user-attachments/assets/${id}`,
    `https://github.com/user-attachments/assets/${id}/../../../logout`,
    `https://github.com/user-attachments/assets/x-${id}`,
    `https://github.com/logout?next=/user-attachments/assets/${id}`,
    `https://github.com/octo/shop/raw/main/${id}.png`,
    `https://api.github.com/user-attachments/assets/${id}`,
    `https://camo.githubusercontent.com/1/${id}.png`,
    `https://raw.githubusercontent.com/1/2-${id}.png`,
    `https://user-images.githubusercontent.com.evil.example/1/2-${id}.png`,
    `https://127.0.0.1/user-attachments/assets/${id}`,
    'http://169.254.169.254/latest/meta-data/iam',
    `file:///user-attachments/assets/${id}`,
    `data:image/png;base64,AAAA`,
    'javascript:alert(1)',
    `//github.com/user-attachments/assets/${id}`,
  ])('nothing: %s', (address) => {
    expect([cloud.read(address), residency.read(address), enterprise.read(address)]).toEqual([null, null, null]);
  });
});

describe('where a picture may be got', () => {
  test.each([
    [cloud, `https://private-user-images.githubusercontent.com/61099/425857712-${id}.png?jwt=e`],
    [residency, `https://private-user-images.githubusercontent.com/61099/425857712-${id}.png?jwt=e`],
    [residency, `https://private-user-images.acme.ghe.com/61099/425857712-${id}.png?jwt=e`],
    [enterprise, `https://media.git.acme.example/user/5/files/${id}?token=e`],
    [enterprise, `https://git.acme.example/storage/user/5/files/${id}?token=e`],
  ])('%#', (hosts, address) => {
    expect(hosts.mayGive(picture, new URL(address))).toBe(true);
  });

  test.each([
    [cloud, `https://github.com/user-attachments/assets/${id}`],
    [cloud, `https://api.github.com/1/2-${id}.png`],
    [cloud, `http://private-user-images.githubusercontent.com/1/2-${id}.png`],
    [cloud, `https://private-user-images.githubusercontent.com:444/1/2-${id}.png`],
    [cloud, `https://u@private-user-images.githubusercontent.com/1/2-${id}.png`],
    [cloud, `https://private-user-images.githubusercontent.com.evil.example/1/2-${id}.png`],
    [cloud, `https://private-user-images.githubusercontent.com/1/2-${id.replace('0', '1')}.png`],
    [cloud, `https://private-user-images.githubusercontent.com/${id}/2-1f8f4e3b-289c-4efb-a3bb-85e4034b877f.png`],
    [cloud, `https://private-user-images.githubusercontent.com/1/x.png?${id}`],
    [cloud, `https://user-images.githubusercontent.com/1/2-${id}.png`],
    [cloud, `https://media.git.acme.example/user/5/files/${id}`],
    [enterprise, `https://private-user-images.githubusercontent.com/1/2-${id}.png`],
    [enterprise, `https://git.acme.example/logout`],
    [enterprise, `https://127.0.0.1/storage/user/5/files/${id}`],
  ])('nowhere else: %#', (hosts, address) => {
    expect(hosts.mayGive(picture, new URL(address))).toBe(false);
  });

  test('what is public leads nowhere else either', () => {
    const own = cloud.read('https://user-images.githubusercontent.com/1/a.png');
    const may = (address: string) => own !== null && cloud.mayGive(own, new URL(address));
    expect(may('https://user-images.githubusercontent.com/2/b.png')).toBe(true);
    expect(may(`https://private-user-images.githubusercontent.com/1/2-${id}.png`)).toBe(false);
    expect(may('https://github.com/1/a.png')).toBe(false);
  });
});
