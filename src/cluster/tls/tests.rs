//! Nodes with certificates over real connections, and peers that have none, or none of the right authority.

use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::cluster::engine::certificates::new_certificates;

/// Where they listen. This address is in no certificate.
const MACHINE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

fn tls_of(folder: &Path) -> NodeTls {
    let [authority, certificate, key] = files(folder);
    NodeTls::new(&authority, &certificate, &key).unwrap()
}

fn files(folder: &Path) -> [Vec<u8>; 3] {
    ["ca.pem", "node.pem", "node.key"].map(|name| fs::read(folder.join(name)).unwrap())
}

/// Both ends of a connection.
async fn connection() -> (NodeSocket, NodeSocket) {
    let listener = TcpListener::bind((MACHINE, 0)).await.unwrap();
    let connecting = TcpStream::connect(listener.local_addr().unwrap());
    let (near, far) = tokio::join!(connecting, listener.accept());
    (Box::new(near.unwrap()), Box::new(far.unwrap().0))
}

#[tokio::test]
async fn two_nodes_with_certificates_of_one_authority_speak_whatever_their_names() {
    let Some(folder) = new_certificates("TLS between nodes") else { return };
    let (tls, (near, far)) = (tls_of(folder.path()), connection().await);
    let (near, far) = tokio::join!(tls.dial(near, MACHINE), tls.accept(far));
    let (mut near, mut far) = (near.unwrap(), far.unwrap());
    let mut bytes = [0; 5];
    near.write_all(b"there").await.unwrap();
    near.shutdown().await.unwrap();
    far.read_exact(&mut bytes).await.unwrap();
    assert_eq!(&bytes, b"there");
    assert_eq!(far.read(&mut bytes).await.unwrap(), 0);
    far.write_all(b"again").await.unwrap();
    far.flush().await.unwrap();
    near.read_exact(&mut bytes).await.unwrap();
    assert_eq!(&bytes, b"again");
}

#[tokio::test]
async fn certificates_of_another_authority_are_turned_away_at_both_ends() {
    let (Some(one), Some(other)) =
        (new_certificates("TLS with another authority"), new_certificates("TLS with another authority"))
    else {
        return;
    };
    let (own, foreign) = (tls_of(one.path()), tls_of(other.path()));
    let (near, far) = connection().await;
    let (near, far) = tokio::join!(own.dial(near, MACHINE), foreign.accept(far));
    for error in [near.unwrap_err(), far.unwrap_err()] {
        assert!(is_of_tls(&error), "{error}");
    }
    // One who trusts the right authority, and shows a certificate of another one.
    let mixed = NodeTls { dialing: dialing_as(&other, &one), accepting: own.accepting.clone() };
    let (near, far) = connection().await;
    let (near, far) = tokio::join!(mixed.dial(near, MACHINE), own.accept(far));
    let error = far.unwrap_err();
    assert!(is_of_tls(&error), "{error}");
    let error = near.unwrap().read_u8().await.unwrap_err();
    assert!(is_of_tls(&error), "{error}");
}

/// Dials with the certificate of one folder and the authority of another.
fn dialing_as(own: &tempfile::TempDir, authority: &tempfile::TempDir) -> TlsConnector {
    let ([_, certificate, key], [authority, ..]) = (files(own.path()), files(authority.path()));
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates("ca", &authority).unwrap());
    let provider = Arc::new(ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let servers = SameAuthority { roots: Arc::new(roots), algorithms };
    let (chain, key) =
        (certificates("cert", &certificate).unwrap(), PrivateKeyDer::from_pem_slice(&key).unwrap());
    Arc::new(dialing(&provider, servers, chain, key).unwrap()).into()
}

#[tokio::test]
async fn who_speaks_no_tls_is_turned_away_by_the_first_bytes() {
    let Some(folder) = new_certificates("plain text instead of TLS") else { return };
    let tls = tls_of(folder.path());
    for said in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 64], &[22, 3, 1, 255, 255, 0, 0, 0]] {
        let (mut near, far) = connection().await;
        near.write_all(said).await.unwrap();
        let error = tls.accept(far).await.unwrap_err();
        assert!(is_of_tls(&error), "{error}");
        let (near, mut far) = connection().await;
        far.write_all(said).await.unwrap();
        let error = tls.dial(near, MACHINE).await.unwrap_err();
        assert!(is_of_tls(&error), "{error}");
    }
}

#[test]
fn files_that_are_of_no_use_are_named() {
    let (Some(one), Some(other)) = (new_certificates("files for TLS"), new_certificates("files for TLS"))
    else {
        return;
    };
    let [authority, certificate, key] = files(one.path());
    let [foreign_authority, foreign_certificate, foreign_key] = files(other.path());
    let refused = |authority: &[u8], certificate: &[u8], key: &[u8]| {
        NodeTls::new(authority, certificate, key).unwrap_err().to_string()
    };
    for (error, part) in [
        (refused(b"?", &certificate, &key), "--cluster-ca names a file without a certificate"),
        (refused(&authority, &key, &key), "--cluster-cert names a file without a certificate"),
        (refused(&authority, &certificate, b""), "--cluster-key names a file without a private key"),
        (refused(&foreign_authority, &certificate, &key), "not of the authority of --cluster-ca"),
        (refused(&authority, &foreign_certificate, &foreign_key), "not of the authority of --cluster-ca"),
        (refused(&authority, &certificate, &foreign_key), "key of --cluster-key does not fit"),
    ] {
        assert!(error.contains(part), "{error}");
    }
}
