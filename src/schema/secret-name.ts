// Which variables are secrets by their names, where nothing more is known of them. Pure.

const secretName =
  /(?:^|_)(?:KEY|TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT)(?:_|$)|(?:APIKEY|TOKEN|SECRET|PASSWORD)$/i;

/** Whether people call a secret so. `MAX_TOKENS` and `KEYBOARD` are none. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}
